package cli

import (
	"io"
	"os"

	"github.com/rs/zerolog"
	"golang.org/x/term"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
)

// fd is the file descriptor behind a stream that is a file.
func fd(stream any) (int, bool) {
	f, ok := stream.(interface{ Fd() uintptr })
	if !ok {
		return 0, false
	}
	return int(f.Fd()), true
}

func isTerminal(stream any) bool {
	n, ok := fd(stream)
	return ok && term.IsTerminal(n) && os.Getenv("TERM") != "dumb"
}

func (a *app) color(w io.Writer) bool {
	return !a.noColor && os.Getenv("NO_COLOR") == "" && isTerminal(w)
}

func (a *app) width() int {
	n, ok := fd(a.Out)
	if !ok {
		return 80
	}
	w, _, err := term.GetSize(n)
	if err != nil || w <= 0 {
		return 80
	}
	return w
}

// view is the one that the format names, and the desktop beside it; say hears,
// from another goroutine, when there is no desktop.
func (a *app) view(p *session.Project, watch bool, say func(string)) notify.View {
	var main notify.View
	switch a.format {
	case "json":
		main = notify.Multi(notify.NewJSON(a.Out, p.Agent), diagnostics{a.log()})
	case "jsonl":
		main = notify.NewJSONL(a.Out, p.Agent)
	default:
		main = notify.NewHuman(a.Out, notify.HumanOptions{
			Color: a.color(a.Out), TTY: isTerminal(a.Out), Width: a.width, Verbose: a.verbose, Watch: watch,
		})
	}
	desktop := notify.NewDesktop(notify.DesktopOptions{
		Off: !p.Config.Notify.Desktop, Bell: a.Err, TTY: isTerminal(a.Err), Say: say,
	})
	return notify.Multi(main, desktop)
}

// diagnostics logs what a JSON document has no place for.
type diagnostics struct{ log zerolog.Logger }

func (d diagnostics) Handle(e notify.Event) {
	switch e := e.(type) {
	case notify.Warning:
		d.log.Warn().Msg(e.Text)
	case notify.Problems:
		for _, p := range e.List {
			d.log.Error().Msg(p.Error())
		}
	}
}

func (d diagnostics) Close() error { return nil }

// keys reads commands from a terminal, one key each, until stop is called. Not
// on a terminal there are none.
func (a *app) keys() (commands <-chan session.Command, stop func()) {
	n, ok := fd(a.In)
	if !ok || !term.IsTerminal(n) || !isTerminal(a.Out) {
		return nil, func() {}
	}
	old, err := term.MakeRaw(n)
	if err != nil {
		return nil, func() {}
	}
	ch := make(chan session.Command)
	done := make(chan struct{})
	go readKeys(a.In, ch, done) // ends with the process: a read of a terminal cannot be called off
	return ch, func() {
		close(done)
		_ = term.Restore(n, old)
	}
}

func readKeys(in io.Reader, ch chan<- session.Command, done <-chan struct{}) {
	buf := make([]byte, 1)
	for {
		if _, err := in.Read(buf); err != nil {
			return
		}
		c, ok := commandOf(buf[0])
		if !ok {
			continue
		}
		select {
		case ch <- c:
		case <-done:
			return
		}
	}
}

// commandOf is what a key asks for. In raw mode the terminal sends Ctrl-C as a
// byte.
func commandOf(key byte) (session.Command, bool) {
	switch key {
	case 'a':
		return session.RunAll, true
	case 'f':
		return session.RunFailed, true
	case '\r', '\n':
		return session.RunAgain, true
	case 'q', 3, 4:
		return session.Quit, true
	case '?', 'h':
		return session.ShowHelp, true
	default:
		return 0, false
	}
}
