package terminal

import "unicode/utf8"

// A Key is a letter, or one of those that have none.
type Key rune

// Keys without a letter. A terminal sends those of one byte as they are.
const (
	CtrlC     Key = 3
	CtrlD     Key = 4
	CtrlU     Key = 21
	CtrlZ     Key = 26
	Escape    Key = 27
	Enter     Key = '\r'
	Backspace Key = 127
	Up        Key = -1
	Down      Key = -2
)

// A decoder tells keys from the sequences that a terminal sends for others, whose
// letters are none that were pressed.
type decoder struct {
	escaped  bool   // ESC has come
	sequence bool   // and [ or O after it
	plain    bool   // nothing but those has come of the sequence
	letter   []byte // the beginning of one
}

// keys are those that the bytes of one read amount to. A terminal sends a
// sequence at once, so an ESC that ends a read is the key of that name.
func (d *decoder) keys(read []byte) []Key {
	var out []Key
	for i, b := range read {
		switch {
		case d.sequence:
			if arrow, ok := map[byte]Key{'A': Up, 'B': Down}[b]; ok && d.plain {
				out = append(out, arrow)
			}
			d.sequence, d.plain = b < '@' || b > '~', false
		case d.escaped:
			d.escaped, d.sequence = false, b == '[' || b == 'O'
			d.plain = d.sequence
		case b == byte(Escape) && i+1 < len(read):
			d.escaped = true
		case b == '\n':
			out = append(out, Enter)
		case b == '\b':
			out = append(out, Backspace)
		case b < utf8.RuneSelf:
			out, d.letter = append(out, Key(b)), nil
		default:
			d.letter = append(d.letter, b)
			if r, n := utf8.DecodeRune(d.letter); r != utf8.RuneError {
				out, d.letter = append(out, Key(r)), nil
			} else if n == 1 && len(d.letter) >= utf8.UTFMax {
				d.letter = nil
			}
		}
	}
	return out
}
