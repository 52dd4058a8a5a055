package terminal

import "unicode/utf8"

// A Key is a letter, or a key without one.
type Key rune

// Keys without a letter. Terminals send those with positive values as one byte.
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

// A decoder separates keys from the escape sequences of other keys, because letters in a sequence
// were not pressed.
type decoder struct {
	escaped  bool   // ESC was read
	sequence bool   // and [ or O after it
	plain    bool   // no further byte of the sequence was read
	letter   []byte // first bytes of an incomplete letter
}

// keys returns the keys in the bytes of one read. A terminal sends a sequence in one write, so an
// ESC at the end of a read is the Escape key.
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
