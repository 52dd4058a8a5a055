package human

import (
	"fmt"
	"strings"

	"hookwatch/suites/printable"
)

// excerptLines is how many lines of a text are shown.
const excerptLines = 10

// excerpt splits text into lines that fit the columns: all of them up to
// excerptLines or where all are asked for, else the first and the last ones and what was left out between.
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

// How many rows one line of a text may take, in an excerpt and in the whole.
const (
	foldedRows = 4
	mostRows   = 1000
)

// folded is a line in rows that fit the columns: its end may be what tells the
// cause. A line that is far too long is cut.
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

// proseLimit is how many bytes of prose are shown.
const proseLimit = 4000

// wrap breaks prose at white space into clean lines of at most the columns; a
// longer word keeps a line of its own. Zero columns means one line.
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
