package cli

import (
	"os"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/notify/human"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/catalog"
)

var _ = register(&format{
	name: "human", help: "text for users", layout: asText,
	view: func(a *app, p *project.Project, watch bool) notify.View {
		show := a.program().About(p, "show")
		return human.New(a.raw.Out, human.Options{
			ASCII: terminal.ASCII(os.Getenv), Show: show, Color: a.color(a.Out), TTY: terminal.Is(a.Out), Width: a.width, Verbose: a.verbose, Watch: watch,
			Place: func(at string, k suites.Key) string {
				if command := show(k); command != "" && catalog.IsBuiltin(at) {
					return command // a file in the program cannot be opened
				}
				return at
			},
		})
	},
	write: func(a *app, r result) error {
		r.text(a.Out)
		return nil
	},
})
