// Package printable makes untrusted text safe to show. It escapes everything that a terminal
// interprets or that hides or reorders text: control characters, escape sequences, direction marks,
// invisible characters, invalid UTF-8, and more than a few combining marks on one character. All
// names, paths, output and causes that hookwatch shows are converted here.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// The maximum width of a field in columns. JSON output contains values in full.
const (
	MaxField = 2000
	MaxCell  = 200 // in a table, because one long cell widens every row
	MaxName  = 100
)

// Text returns the whole text on one line. Characters that cannot be shown are escaped as \n, \x1b
// or \u202e. Text is idempotent.
func Text(text string) string {
	var s state
	for i := 0; i < len(text); {
		size, ok := s.next(text[i:])
		if !ok {
			return text[:i] + s.rest(text[i:])
		}
		i += size
	}
	return text
}

// Field is Text for one field of a line. It cuts the text at MaxField columns and escapes the third
// and every further space of a run as \x20, because a long run could push forged text to the start
// of the terminal's next row.
func Field(text string) string { return field(text, MaxField) }

// Cell is Field for a cell of a table.
func Cell(text string) string { return field(text, MaxCell) }

// Name is Field for text that is normally short.
func Name(text string) string { return field(text, MaxName) }

func field(text string, columns int) string {
	if strings.Contains(text, "   ") {
		text = markSpaces(text)
	}
	if len(text) <= columns { // a rune has at most as many columns as bytes, unless it is escaped
		if shown := Text(text); len(shown) <= columns {
			return shown
		}
	}
	return Cut(text, columns)
}

// markSpaces escapes the third and every further space of a run as \x20.
func markSpaces(text string) string {
	var b strings.Builder
	run := 0
	for i := range len(text) {
		if text[i] != ' ' {
			run = 0
		} else if run++; run > 2 {
			b.WriteString(`\x20`)
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// Cut returns the first columns of raw text, escaped, and appends the number of bytes left out. It
// reads no more of the text than it returns.
func Cut(raw string, columns int) string {
	var b strings.Builder
	var s state
	rest, used, fits, fitsRest := raw, 0, 0, 0
	tail := len(fmt.Sprintf("... +%d bytes", len(raw)))
	for len(rest) > 0 {
		shown, size := s.show(rest)
		used += Width(shown)
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

// Width returns the number of columns that escaped text takes on a terminal.
func Width(shown string) int { return displaywidth.String(shown) }

// Is reports whether Text returns the text unchanged.
func Is(text string) bool { return Text(text) == text }

// maxMarks bounds the combining marks on one character. Living languages need at most three; a
// stack of them covers the lines above and below.
const maxMarks = 4

// A state is the context of the next rune.
type state struct {
	base  bool // there is a character that a mark can belong to
	image bool // it may have both a text and an emoji form
	marks int  // number of marks it already has
}

// next returns the size of the first rune of text and reports whether it can be shown unescaped.
func (s *state) next(text string) (size int, ok bool) {
	if c := text[0]; c >= ' ' && c < 0x7f {
		*s = state{base: true, image: c != ' ' && (c < 'A' || c > 'z')}
		return 1, true
	}
	r, size := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && size == 1 {
		*s = state{base: true}
		return 1, false
	}
	ok = s.shows(r)
	return size, ok
}

// shows reports whether a rune beyond ASCII or a control character can be shown unescaped. An
// escape ends in a letter or digit, which becomes the base of the following marks.
func (s *state) shows(r rune) bool {
	before := *s
	*s = state{base: true}
	switch {
	case r == 0xfe0e, r == 0xfe0f:
		if !before.image || before.marks > 0 {
			return false
		}
		s.marks = 1
		return true
	case !unicode.IsPrint(r), isInvisible(r):
		return false
	case isMark(r):
		if !before.base || before.marks >= maxMarks {
			return false
		}
		s.marks = before.marks + 1
		return true
	}
	s.image = !unicode.IsLetter(r)
	return true
}

// koreanParts are the later parts of a Korean syllable.
var koreanParts = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x1160, Hi: 0x11ff, Stride: 1}, {Lo: 0xd7b0, Hi: 0xd7ff, Stride: 1}}}

// isMark reports whether a terminal draws the rune over the previous one.
func isMark(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Me, koreanParts) }

// isInvisible reports whether the rune is invisible although Unicode classifies it as printable.
func isInvisible(r rune) bool {
	const brailleBlank, nullNotehead = 0x2800, 0x1d159
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == brailleBlank || r == nullNotehead
}

// rest escapes text whose first rune needs it.
func (s *state) rest(text string) string {
	var b strings.Builder
	shown, size := escape(text)
	b.WriteString(shown)
	for text = text[size:]; len(text) > 0; text = text[size:] {
		shown, size = s.show(text)
		b.WriteString(shown)
	}
	return b.String()
}

// show returns the first rune of text, escaped if necessary, and its size.
func (s *state) show(text string) (string, int) {
	if size, ok := s.next(text); ok {
		return text[:size], size
	}
	return escape(text)
}

func escape(text string) (string, int) {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf(`\x%02x`, text[0]), 1
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

// Prefix returns the longest prefix of printable text that fits in the given number of columns.
func Prefix(text string, columns int) string {
	end := 0
	for i, r := range text {
		end = i + len(string(r))
		if Width(text[:end]) > columns {
			return text[:i]
		}
	}
	return text[:end]
}
