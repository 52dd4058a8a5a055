package human

import (
	"fmt"
	"strings"

	"hookwatch/suites/printable"
)

// excerptLines is how many lines of a text are shown.
const excerptLines = 10

// excerpt splits text into lines that fit the columns: all of them up to
// excerptLines, else the first and the last ones and what was left out between.
func excerpt(text string, columns int) []string {
	text = strings.TrimSuffix(text, "\n")
	lines := strings.Split(text, "\n")
	if len(lines) > excerptLines {
		const last = 3
		const first = excerptLines - 1 - last
		gap := fmt.Sprintf("... %d lines left out ...", len(lines)-first-last)
		lines = append(append(lines[:first:first], gap), lines[len(lines)-last:]...)
	}
	for i, l := range lines {
		lines[i] = printable.Cut(l, columns)
	}
	return lines
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
