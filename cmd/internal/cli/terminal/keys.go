package terminal

import (
	"context"
	"io"

	"golang.org/x/term"
)

// Keys reads commands from a terminal, one key each, until stop is called. Not
// on a terminal there are none. A signal sets the terminal right at once, for a
// second one ends the program where it stands.
func Keys[C any](ctx context.Context, in io.Reader, out io.Writer, commandOf func(key byte) (C, bool)) (commands <-chan C, stop func()) {
	n, ok := FD(in)
	if !ok || !term.IsTerminal(n) || !Is(out) {
		return nil, func() {}
	}
	restore, err := readKeyByKey(n)
	if err != nil {
		return nil, func() {}
	}
	asIs := context.AfterFunc(ctx, restore)
	ch := make(chan C)
	done := make(chan struct{})
	go readKeys(in, commandOf, ch, done) // ends with the process: a read of a terminal cannot be called off
	return ch, func() {
		close(done)
		asIs()
		restore()
	}
}

func readKeys[C any](in io.Reader, commandOf func(byte) (C, bool), ch chan<- C, done <-chan struct{}) {
	var k keyboard
	buf := make([]byte, 64)
	for {
		n, err := in.Read(buf)
		for _, key := range k.keys(buf[:n]) {
			c, meant := commandOf(key)
			if !meant {
				continue
			}
			select {
			case ch <- c:
			case <-done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// A keyboard tells keys from the sequences that a terminal sends for others, such
// as the arrows, whose letters are no commands.
type keyboard struct {
	escaped  bool // ESC has come
	sequence bool // and [ or O after it
}

// keys are those that the bytes of one read amount to. A terminal sends a
// sequence at once, so an ESC that ends a read is the key of that name.
func (k *keyboard) keys(read []byte) []byte {
	var out []byte
	for i, b := range read {
		switch {
		case k.sequence:
			k.sequence = b < '@' || b > '~'
		case k.escaped:
			k.escaped, k.sequence = false, b == '[' || b == 'O'
		case b == 0x1b:
			k.escaped = i+1 < len(read)
		default:
			out = append(out, b)
		}
	}
	return out
}
