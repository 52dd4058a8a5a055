package notify

import (
	"testing"
	"time"
)

func TestSpan(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second:                            "0 ms",
		0:                                       "0 ms",
		1400 * time.Microsecond:                 "1 ms",
		99 * time.Millisecond:                   "99 ms",
		99600 * time.Microsecond:                "0.10 s",
		740 * time.Millisecond:                  "0.74 s",
		994 * time.Millisecond:                  "0.99 s",
		996 * time.Millisecond:                  "1.0 s",
		4120 * time.Millisecond:                 "4.1 s",
		59940 * time.Millisecond:                "59.9 s",
		59960 * time.Millisecond:                "1 min 00 s",
		125 * time.Second:                       "2 min 05 s",
		59*time.Minute + 59600*time.Millisecond: "1 h 00 min",
		62 * time.Minute:                        "1 h 02 min",
	} {
		if got := span(d); got != want {
			t.Errorf("span(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestMoments(t *testing.T) {
	t.Parallel()
	now := atTime(14, 2, 11).Time
	for _, tt := range []struct {
		name, got, want string
	}{
		{"clock in the place of now", clock(atTime(14, 2, 11).UTC(), now), "14:02:11"},
		{"moment today", moment(atTime(13, 58, 0).UTC(), now), "13:58"},
		{"moment yesterday", moment(now.AddDate(0, 0, -1), now), "2026-08-11 14:02"},
		{"ago seconds", ago(now.Add(-59*time.Second), now), "just now"},
		{"ago future", ago(now.Add(time.Hour), now), "just now"},
		{"ago minutes", ago(now.Add(-2*time.Minute), now), "2 min ago"},
		{"ago hours", ago(now.Add(-3*time.Hour), now), "3 h ago"},
		{"ago day", ago(now.Add(-25*time.Hour), now), "1 day ago"},
		{"ago days", ago(now.Add(-49*time.Hour), now), "2 days ago"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}
