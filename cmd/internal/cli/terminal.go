package cli

import (
	"os"

	"github.com/rs/zerolog"
	"golang.org/x/term"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/notify/desktop"
	"hookwatch/cmd/internal/notify/human"
	"hookwatch/cmd/internal/notify/jsonview"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/catalog"
)

func (a *app) width() int {
	n, ok := terminal.FD(a.Out)
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
func (a *app) view(p *project.Project, watch bool, say func(string)) notify.View {
	var main notify.View
	show := a.program().About(p, "show")
	switch a.format {
	case "json":
		main = notify.Multi(jsonview.NewJSON(a.json(), p.Agent), diagnostics{a.log()})
	case "jsonl":
		main = jsonview.NewJSONL(a.json(), p.Agent)
	default:
		main = human.New(a.raw.Out, human.Options{
			ASCII: terminal.ASCII(os.Getenv), Show: show, Color: a.color(a.Out), TTY: terminal.Is(a.Out), Width: a.width, Verbose: a.verbose, Watch: watch,
			Place: func(at string, k suites.Key) string {
				if command := show(k); command != "" && catalog.IsBuiltin(at) {
					return command // nobody can open what is in the program
				}
				return at
			},
		})
	}
	notices := desktop.New(desktop.Options{
		Off: !p.Config.Notify.Desktop, Bell: a.raw.Err, TTY: terminal.Is(a.Err), Say: say,
	})
	return notify.Multi(main, notices)
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
