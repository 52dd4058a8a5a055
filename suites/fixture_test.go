package suites

import (
	"strings"
	"testing"
	"time"
)

func TestMoments(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	for text, want := range map[string]string{
		"":                          "",
		"pass|0|{now}\n":            "pass|0|1000000\n",
		"{now-15m} {now-1h30m}":     "999100 994600",
		"{nowhere} {now {now-1m":    "{nowhere} {now {now-1m",
		"{now-1x}":                  "{now-1x}: no time ago, such as {now-15m}",
		"{now--1m}":                 "{now--1m}: no time ago, such as {now-15m}",
		"{now{now}":                 "{now1000000",
		`{"a": "{now-0s}", "b": 1}`: `{"a": "1000000", "b": 1}`,
	} {
		got, err := Moments(text, now)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzMoments checks that text without a template does not change.
func FuzzMoments(f *testing.F) {
	f.Add("{now-15m}|{now}")
	f.Add("{now")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Moments(text, time.Unix(0, 0))
		if err == nil && !strings.Contains(text, "{now") && got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}
