package cli

import (
	"io"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/engine/filing"
	"hookwatch/suites/report"
	"hookwatch/suites/verdict"
)

func (a *app) compareCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compare [A [B]]",
		Short: "Compare two runs",
		Long: `Say what differs between two archived runs: the latest two, run A and the present
state, or runs A and B. A run is named by its folder in the archive.`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			r, dir, err := a.reader()
			if err != nil {
				return err
			}
			defer r.Close()
			before, after, err := pair(r, dir, args)
			if err != nil {
				return err
			}
			a.warn(append(before.Warnings, after.Warnings...))
			was, is := filing.RunOf(before), filing.RunOf(after)
			if p, _, err := a.tryLoad(); err == nil && p != nil {
				is.Concerns = p.Concerns
			}
			c := verdict.Compare(was, is)
			c.Warn("the earlier run is not whole: ", filing.Incomplete(before, after))
			if len(args) != 1 { // the present state need not have every case
				c.Warn("the later run is not whole: ", filing.Incomplete(after, before))
			}
			doc := newCompareDocument(c)
			return a.print(doc, len(doc.Deltas), func(i int) any { return doc.Deltas[i] }, func(w io.Writer) {
				_, _ = w.Write(report.Comparison(c))
			})
		},
	}
}
