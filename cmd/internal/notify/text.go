package notify

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// clean makes text safe to show: what a terminal would obey or hide (control
// characters, escape sequences, direction marks, bytes that are no UTF-8) is
// written as \n, \x1b or \u202e. Cleaning twice changes nothing more.
func clean(text string) string {
	if strings.IndexFunc(text, unshowable) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		shown, size := showFirst(text)
		b.WriteString(shown)
		text = text[size:]
	}
	return b.String()
}

func unshowable(r rune) bool { return !unicode.IsPrint(r) }

// showFirst formats the first rune of text and tells how many bytes it took.
func showFirst(text string) (string, int) {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf(`\x%02x`, text[0]), 1
	case unicode.IsPrint(r):
		return text[:size], size
	case r == '\n':
		return `\n`, size
	case r == '\r':
		return `\r`, size
	case r == '\t':
		return `\t`, size
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r), size
	case r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r), size
	default:
		return fmt.Sprintf(`\u%04x`, r), size
	}
}

// width is the number of columns that clean text takes on a terminal.
func width(text string) int { return displaywidth.String(text) }

// cut shows the first columns of one line of raw text, cleaned, and says how
// many bytes it left out. It looks no further into the text than it shows.
func cut(raw string, columns int) string {
	var b strings.Builder
	rest, used, fits, fitsRest := raw, 0, 0, 0
	tail := len(fmt.Sprintf("... +%d bytes", len(raw)))
	for len(rest) > 0 {
		shown, size := showFirst(rest)
		used += width(shown)
		if used > columns {
			return b.String()[:fits] + fmt.Sprintf("... +%d bytes", fitsRest)
		}
		b.WriteString(shown)
		rest = rest[size:]
		if used+tail <= columns || fits == 0 {
			fits, fitsRest = b.Len(), len(rest)
		}
	}
	return b.String()
}

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
		lines[i] = cut(l, columns)
	}
	return lines
}

// wrap breaks prose at white space into clean lines of at most the columns; a
// longer word keeps a line of its own. Zero columns means one line.
func wrap(text string, columns int) []string {
	var lines []string
	used := 0
	for _, w := range strings.Fields(text) {
		w = clean(w)
		if n := width(w); lines == nil || columns > 0 && used+1+n > columns {
			lines, used = append(lines, w), n
		} else {
			lines[len(lines)-1] += " " + w
			used += 1 + n
		}
	}
	return lines
}
