package human

import (
	"fmt"

	"hookwatch/suites"
)

// shownChanges is how many of a failing case's changes are shown.
const shownChanges = 6

// changes lists what a failing case did to files.
func (h *human) changes(all []suites.Change, indent string) []line {
	var lines []line
	for i, c := range all {
		if i == shownChanges && len(all) > shownChanges+1 {
			return append(lines, line{{dim, fmt.Sprintf("%sand %d more files", indent, len(all)-i)}})
		}
		text := string(c.Kind) + " " + c.Path
		if c.Kind != suites.Deleted {
			text += " (" + bytesText(c.Size) + ")"
		}
		lines = append(lines, h.block(line{{plain, indent}}, dim, text)...)
	}
	return lines
}

func bytesText(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d B", n)
	case n < 10_000_000:
		return fmt.Sprintf("%d KB", n/1000)
	default:
		return fmt.Sprintf("%d MB", n/1_000_000)
	}
}
