package cli

import (
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/notify/jsonview"
	"hookwatch/cmd/internal/project"
)

var _ = register(&format{
	name: "jsonl", help: "one JSON value a line: an event of a run, or an entry of another command", layout: asLines,
	view: func(a *app, p *project.Project, _ bool) notify.View {
		return jsonview.NewJSONL(a.json(), p.Agent)
	},
	write: func(a *app, r result) error {
		enc := a.encoder()
		for i := range r.items {
			if err := enc.Encode(r.item(i)); err != nil {
				return err
			}
		}
		return nil
	},
})
