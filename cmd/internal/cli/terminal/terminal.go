// Package terminal reads keys from a terminal, lends it to other programs, and tells
// one from a file.
package terminal

import (
	"context"
	"io"
	"os"

	"golang.org/x/term"
)

// FD is the file descriptor behind a stream that is a file.
func FD(stream any) (int, bool) {
	f, ok := stream.(interface{ Fd() uintptr })
	if !ok {
		return 0, false
	}
	return int(f.Fd()), true
}

// Is reports whether a stream is a terminal on which text can be placed.
func Is(stream any) bool {
	n, ok := FD(stream)
	return ok && term.IsTerminal(n) && os.Getenv("TERM") != "dumb"
}

// A Terminal hands over each key as it is pressed.
type Terminal struct {
	in      io.Reader
	fd      int
	restore func()
	asIs    func() bool
	ctx     context.Context
}

// Open reads a terminal key by key from now on; nil where there is none. A signal sets
// the terminal right at once, for a second one ends the program where it stands.
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

// Close leaves the terminal as it was.
func (t *Terminal) Close() {
	t.asIs()
	t.restore()
}

// Lend lets another have the terminal as it was, until what it does there is done. It
// is to be called by who is handed the keys.
func (t *Terminal) Lend(do func() error) error {
	t.Close()
	err := do()
	if t.ctx.Err() == nil && !t.take() {
		return io.ErrClosedPipe
	}
	return err
}

// Each hands over keys until one of them is the last, or there are no more.
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
