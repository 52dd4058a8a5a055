package human

import (
	"fmt"
	"time"

	"hookwatch/cmd/internal/notify"
)

// span formats a duration for people: "5 ms", "0.74 s", "4.1 s", "2 min 05 s",
// "1 h 02 min". It rounds first, so that no part ever shows 60.
func span(d time.Duration) string {
	if d < 0 {
		d = 0
	}
	switch ms, ds := d.Round(time.Millisecond), d.Round(100*time.Millisecond); {
	case ms < 100*time.Millisecond:
		return fmt.Sprintf("%d ms", ms.Milliseconds())
	case d.Round(10*time.Millisecond) < time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case ds < time.Minute:
		return fmt.Sprintf("%.1f s", ds.Seconds())
	}
	if s := d.Round(time.Second); s < time.Hour {
		return fmt.Sprintf("%d min %02d s", s/time.Minute, s%time.Minute/time.Second)
	}
	m := d.Round(time.Minute)
	return fmt.Sprintf("%d h %02d min", m/time.Hour, m%time.Hour/time.Minute)
}

// clock formats the time of day at which something happened, in the place of now.
func clock(t, now time.Time) string { return t.In(now.Location()).Format("15:04:05") }

// moment formats a time that may be long past: the time of day when it was
// today, else the date as well.
func moment(t, now time.Time) string {
	t = t.In(now.Location())
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}

// ago formats how long ago something ended: "just now", "2 min ago".
func ago(t, now time.Time) string {
	switch d := now.Sub(t); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	default:
		return notify.Count(int(d/(24*time.Hour)), "day") + " ago"
	}
}
