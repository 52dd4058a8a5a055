package cli

import (
	"github.com/rs/zerolog"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/notify/jsonview"
	"hookwatch/cmd/internal/project"
)

var _ = register(&format{
	name: "json", help: "one JSON document", layout: asDocument,
	view: func(a *app, p *project.Project, _ bool) notify.View {
		return notify.Multi(jsonview.NewJSON(a.json(), p.Agent), diagnostics{a.log()})
	},
	write: func(a *app, r result) error {
		enc := a.encoder()
		enc.SetIndent("", "  ")
		return enc.Encode(r.doc)
	},
})

// diagnostics logs events that a document has no field for.
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
