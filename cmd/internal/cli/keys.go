package cli

import (
	"context"
	"io"

	"golang.org/x/term"

	"hookwatch/cmd/internal/engine"
)

// keys reads commands from a terminal, one key each, until stop is called. Not
// on a terminal there are none. A signal sets the terminal right at once, for a
// second one ends the program where it stands.
func (a *app) keys(ctx context.Context) (commands <-chan engine.Command, stop func()) {
	n, ok := fd(a.In)
	if !ok || !term.IsTerminal(n) || !isTerminal(a.Out) {
		return nil, func() {}
	}
	restore, err := readKeyByKey(n)
	if err != nil {
		return nil, func() {}
	}
	asIs := context.AfterFunc(ctx, restore)
	ch := make(chan engine.Command)
	done := make(chan struct{})
	go readKeys(a.In, ch, done) // ends with the process: a read of a terminal cannot be called off
	return ch, func() {
		close(done)
		asIs()
		restore()
	}
}

func readKeys(in io.Reader, ch chan<- engine.Command, done <-chan struct{}) {
	var k keyboard
	buf := make([]byte, 64)
	for {
		n, err := in.Read(buf)
		for _, c := range k.commands(buf[:n]) {
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

// commands are those that the bytes of one read amount to. A terminal sends a
// sequence at once, so an ESC that ends a read is the key of that name.
func (k *keyboard) commands(read []byte) []engine.Command {
	var out []engine.Command
	for i, b := range read {
		switch {
		case k.sequence:
			k.sequence = b < '@' || b > '~'
		case k.escaped:
			k.escaped, k.sequence = false, b == '[' || b == 'O'
		case b == 0x1b:
			k.escaped = i+1 < len(read)
		default:
			if c, ok := commandOf(b); ok {
				out = append(out, c)
			}
		}
	}
	return out
}

// commandOf is what a key asks for. Where keys are read raw the terminal sends
// Ctrl-C as a byte.
func commandOf(key byte) (engine.Command, bool) {
	switch key {
	case 'a':
		return engine.RunAll, true
	case 'f':
		return engine.RunFailed, true
	case '\r', '\n':
		return engine.RunAgain, true
	case 'q', 3, 4:
		return engine.Quit, true
	case '?', 'h':
		return engine.ShowHelp, true
	default:
		return 0, false
	}
}
