package notify

import (
	"fmt"
	"strings"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites/printable"
)

// span formats a duration for users: "5 ms", "0.74 s", "4.1 s", "2 min 05 s", "1 h 02 min". It
// rounds first, so that no part ever shows 60.
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

// clock formats the time of day of an event, in the time zone of now.
func clock(t, now time.Time) string { return t.In(now.Location()).Format("15:04:05") }

// moment formats a time that may be long past: with the date unless it was today.
func moment(t, now time.Time) string {
	t = t.In(now.Location())
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}

// ago formats the time since an event: "just now", "2 min ago".
func ago(t, now time.Time) string {
	switch d := now.Sub(t); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	default:
		return session.Count(int(d/(24*time.Hour)), "day") + " ago"
	}
}

// excerptLines is the maximum number of lines in an excerpt.
const excerptLines = 10

// excerpt splits text into rows that fit the columns. If it has more than excerptLines lines and
// all is not set, it returns the first and last ones and the number of lines between.
func excerpt(text string, columns int, all bool) []string {
	text = strings.TrimSuffix(text, "\n")
	lines := strings.Split(text, "\n")
	if len(lines) > excerptLines && !all {
		const last = 3
		const first = excerptLines - 1 - last
		gap := fmt.Sprintf("... %d lines left out ...", len(lines)-first-last)
		lines = append(append(lines[:first:first], gap), lines[len(lines)-last:]...)
	}
	var rows []string
	most := foldedRows
	if all {
		most = mostRows
	}
	for _, l := range lines {
		rows = append(rows, folded(l, columns, most)...)
	}
	return rows
}

// Maximum number of rows for one line of a text, in an excerpt and in the whole text.
const (
	foldedRows = 4
	mostRows   = 1000
)

// folded splits a line into rows that fit the columns, because its end may show the cause. A line
// that is far too long is cut.
func folded(raw string, columns, most int) (rows []string) {
	rest := printable.Cut(raw, most*columns)
	for printable.Width(rest) > columns {
		part := printable.Prefix(rest, columns)
		if part == "" {
			break
		}
		rows, rest = append(rows, part), rest[len(part):]
	}
	return append(rows, rest)
}

// proseLimit is the maximum number of bytes of prose shown.
const proseLimit = 4000

// wrap breaks prose at white space into printable lines of at most the columns; a longer word has
// its own line. Zero columns means one line.
func wrap(text string, columns int) []string {
	more := ""
	if len(text) > proseLimit {
		text, more = strings.ToValidUTF8(text[:proseLimit], ""), fmt.Sprintf(" ... +%d bytes", len(text)-proseLimit)
	}
	var lines []string
	used := 0
	for _, w := range strings.Fields(text + more) {
		w = printable.Field(w)
		if n := printable.Width(w); lines == nil || columns > 0 && used+1+n > columns {
			lines, used = append(lines, w), n
		} else {
			lines[len(lines)-1] += " " + w
			used += 1 + n
		}
	}
	return lines
}

// A style is the appearance of text on a terminal with colour.
type style int

const (
	plain style = iota
	bold
	dim
	red
	green
	yellow
	whole // plain, and never broken, because the user may copy it
)

// sgr holds each style's SGR parameters. It replaces lipgloss, because that adds 0.22 ms of
// package initialisation to every start of the program, including re-executed ones, and inside
// tmux its initialisation runs "tmux info", which takes a second if tmux takes a second to
// answer.
var sgr = [...]string{bold: "1", dim: "2", red: "1;31", green: "32", yellow: "33"}

// paint wraps text, which must be printable, in the style's sequences.
func (s style) paint(text string) string {
	if s == plain || s == whole || text == "" {
		return text
	}
	return "\x1b[" + sgr[s] + "m" + text + "\x1b[m"
}
