// Package terminal reads keys from a terminal, lends it to other programs, and distinguishes
// terminals from files.
package terminal

import (
	"context"
	"io"
	"os"

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
