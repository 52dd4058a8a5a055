// Package terminal reads keys from a terminal, lends it to other programs, and distinguishes
// terminals from files.
package terminal

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// FD returns the file descriptor of a stream that is a file.
func FD(stream any) (int, bool) {
	f, ok := stream.(interface{ Fd() uintptr })
	if !ok {
		return 0, false
	}
	return int(f.Fd()), true
}

// Is reports whether a stream is a terminal that supports cursor control.
func Is(stream any) bool {
	n, ok := FD(stream)
	return ok && term.IsTerminal(n) && os.Getenv("TERM") != "dumb"
}

// A Terminal delivers each key as it is pressed.
type Terminal struct {
	in      io.Reader
	fd      int
	restore func()
	asIs    func() bool
	ctx     context.Context
}

// Open starts reading a terminal key by key, or returns nil if there is none. When ctx ends, the
// terminal is restored immediately, because a second signal would end the program without
// cleanup.
func Open(ctx context.Context, in io.Reader, out io.Writer) *Terminal {
	n, ok := FD(in)
	if !ok || !term.IsTerminal(n) || !Is(out) {
		return nil
	}
	t := &Terminal{in: in, fd: n, ctx: ctx}
	if !t.take() {
		return nil
	}
	return t
}

func (t *Terminal) take() bool {
	restore, err := readKeyByKey(t.fd)
	if err != nil {
		return false
	}
	t.restore, t.asIs = restore, context.AfterFunc(t.ctx, restore)
	return true
}

// Close restores the terminal.
func (t *Terminal) Close() {
	t.asIs()
	t.restore()
}

// Lend restores the terminal while do runs. Call it from the function that receives the keys.
func (t *Terminal) Lend(do func() error) error {
	t.Close()
	err := do()
	if t.ctx.Err() == nil && !t.take() {
		return io.ErrClosedPipe
	}
	return err
}

// Each calls press for each key until press returns false or there are no more.
func (t *Terminal) Each(press func(Key) (more bool)) { each(t.in, press) }

func each(in io.Reader, press func(Key) bool) {
	var d decoder
	buf := make([]byte, 64)
	for {
		n, err := in.Read(buf)
		for _, key := range d.keys(buf[:n]) {
			if !press(key) {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

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

// ASCII reports whether the environment sets a locale without UTF-8, so that only ASCII can be
// displayed. It reports false if no locale is set.
func ASCII(getenv func(string) string) bool {
	locale := strings.ToLower(cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")))
	return locale != "" && !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")
}

// Run runs a command of the user with the program's own streams, and waits for it to end. It is
// not isolated, because it is no hook: it runs as if the user had started it.
func Run(command []string) error {
	p, err := os.StartProcess(command[0], command, &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		return err
	}
	state, err := p.Wait()
	if err == nil && !state.Success() {
		return fmt.Errorf("%v", state)
	}
	return err
}
