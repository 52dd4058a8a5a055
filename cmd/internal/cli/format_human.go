package cli

import (
	"os"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/catalog"
)

var _ = register(&format{
	name: "human", help: "text for users", layout: asText,
	view: func(a *app, _ *session.Project, o notify.Options, watch bool) session.View {
		o.Color, o.TTY, o.Width, o.Verbose, o.Watch = a.color(a.Out), terminal.Is(a.Out), a.width, a.verbose, watch
		o.ASCII = terminal.ASCII(os.Getenv)
		return notify.New(a.raw.Out, o)
	},
	write: func(a *app, r result) error {
		r.text(a.Out)
		return nil
	},
})

// placeOptions returns the options that show where a case is defined: at a line of a file or, because a
// file in the program cannot be opened, by the command that shows it.
func placeOptions(p *session.Project, by program) notify.Options {
	show := by.About(p, "show")
	return notify.Options{Show: show, Place: func(at string, k suites.Key) string {
		if command := show(k); command != "" && catalog.IsBuiltin(at) {
			return command
		}
		return at
	}}
}
