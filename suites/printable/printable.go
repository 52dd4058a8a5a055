// Package printable makes text that others wrote safe to show. What a terminal
// would obey, or what hides or reorders text, becomes visible: control
// characters, escape sequences, direction marks, invisible characters, bytes
// that are no UTF-8, and piles of combining marks. Whatever hookwatch shows of
// names, paths, output or causes goes through here.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Columns that one field may take at most. JSON output has every value whole.
const (
	MaxField = 2000
	MaxCell  = 200 // in a table, where one long cell widens every row
	MaxName  = 100
)

// Text shows text on one line, whole. What cannot be shown as it is appears as
// \n, \x1b or \u202e; showing the result again changes nothing more.
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

// Field is Text for one field of a line: it is cut at MaxField columns, and the
// third and every further space of a run is written \x20, so that no field
// pushes what it pretends to be to the start of a terminal's next row.
func Field(text string) string { return field(text, MaxField) }

// Cell is Field for a cell of a table.
func Cell(text string) string { return field(text, MaxCell) }

// Name is Field for what ought to be short.
func Name(text string) string { return field(text, MaxName) }

func field(text string, columns int) string {
	if strings.Contains(text, "   ") {
		text = markSpaces(text)
	}
	if len(text) <= columns { // no rune takes more columns than bytes, unless it is escaped
		if shown := Text(text); len(shown) <= columns {
			return shown
		}
	}
	return Cut(text, columns)
}

// markSpaces writes the third and every further space of a run as \x20.
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

// Cut shows the first columns of raw text and says how many bytes it left out.
// It looks no further into the text than it shows.
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

// Width is the number of columns that shown text takes on a terminal.
func Width(shown string) int { return displaywidth.String(shown) }

// Is reports whether Text shows the text as it is.
func Is(text string) bool { return Text(text) == text }

// maxMarks is how many marks a character may carry. Living languages need three
// at most; a pile of them covers the lines above and below.
const maxMarks = 4

// A state is what is known of the text before a rune.
type state struct {
	base  bool // there is a character that a mark can belong to
	image bool // it may have a form as text and one as emoji
	marks int  // that it carries already
}

// next reports how many bytes the first rune of text takes and whether it can be
// shown as it is.
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

// shows decides about a rune beyond ASCII or a control character. What is
// escaped ends in a letter or digit, which then is the base of what follows.
func (s *state) shows(r rune) bool {
	before := *s
	*s = state{base: true}
	switch {
	case r == 0xfe0e || r == 0xfe0f:
		if !before.image || before.marks > 0 {
			return false
		}
		s.marks = 1
		return true
	case !unicode.IsPrint(r) || invisible(r):
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

// isMark reports whether a terminal draws the rune over the one before it.
func isMark(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me) ||
		r >= 0x1160 && r <= 0x11ff || r >= 0xd7b0 && r <= 0xd7ff // parts of a Korean syllable
}

// invisible reports whether Unicode counts the rune as one that is printed and
// yet shows nothing.
func invisible(r rune) bool {
	const brailleBlank, nullNotehead = 0x2800, 0x1d159
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		r == brailleBlank || r == nullNotehead
}

// rest shows text whose first rune was just found to need it.
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

// show formats the first rune of text and tells how many bytes it took.
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
