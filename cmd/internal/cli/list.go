package cli

import (
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
)

// ListDocument is what list prints as JSON.
type ListDocument struct {
	Version int        `json:"version"`
	Cases   []ListCase `json:"cases"`
}

// ListCase is one case of a ListDocument.
type ListCase struct {
	ID     string           `json:"id"`
	Name   string           `json:"name"`
	Suite  string           `json:"suite"`
	Hook   string           `json:"hook"`
	Event  string           `json:"event"`
	Layer  suites.Layer     `json:"layer"`
	Verify []project.Marker `json:"verify"`

	summary string
}

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
			doc := ListDocument{Version: 1, Cases: []ListCase{}}
			for _, c := range p.Cases {
				doc.Cases = append(doc.Cases, ListCase{
					ID: c.ID, Name: c.Name, Suite: c.Suite, Hook: c.Hook, Event: c.Steps[0].Event,
					Layer: c.Layer, Verify: p.Markers(c), summary: c.Summary,
				})
			}
			return a.print(doc, len(doc.Cases), func(i int) any { return doc.Cases[i] }, func(w io.Writer) {
				listHuman(w, doc, a.verbose)
			})
		},
	}
}

func listHuman(out io.Writer, doc ListDocument, verbose bool) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	defer w.Flush()
	for _, c := range doc.Cases {
		hook := c.Hook
		switch {
		case hook == "" && c.Event == "":
			hook = "checks " + c.summary
		case hook == "":
			hook = "all hooks of " + c.Event
		}
		page.Rowf(w, "%s\t%s\t%s\t%s\n", c.Suite, c.ID, c.Name, hook)
		if !verbose {
			continue
		}
		for _, m := range c.Verify {
			at := m.At
			if at == "" {
				at = "unresolved: " + m.Why
			}
			page.Rowf(w, "\t\t  %s\t%s\n", m.Ref(), at)
		}
	}
}
