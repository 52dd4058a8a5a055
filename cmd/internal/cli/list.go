package cli

import (
	"io"

	"hookwatch/cmd/internal/cli/list"

	"github.com/spf13/cobra"
)

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the cases with the markers that authorise them",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := a.loadShown()
			if err != nil {
				return err
			}
			a.warn(p.Unread)
			doc := list.Document{Version: 1, Cases: []list.Case{}}
			for _, c := range p.Cases {
				doc.Cases = append(doc.Cases, list.Case{
					ID: c.ID, Name: c.Name, Suite: c.Suite, Hook: c.Hook, Event: c.Steps[0].Event,
					Layer: c.Layer, Verify: p.Markers(c), Summary: c.Summary,
				})
			}
			return a.print(doc, len(doc.Cases), func(i int) any { return doc.Cases[i] }, func(w io.Writer) {
				list.Text(w, doc, a.verbose)
			})
		},
	}
}
