package cli

import (
	"io"

	"github.com/spf13/cobra"

	"hookwatch/suites/record"
)

func (a *app) historyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "history [ID...]",
		Short: "Show past verdicts, durations and flaky cases",
		Long: `Without an ID: each case on record with how often it ran, its verdict and since
when, and whether it is flaky, which is to have had different verdicts on equal
content with equal tools. With IDs, or ranges such as M15-M18: every verdict, with
what changed before it. The rolling log, the archive and the present state count.`,
		RunE: func(_ *cobra.Command, ids []string) error {
			r, dir, err := a.reader()
			if err != nil {
				return err
			}
			defer r.Close()
			past, err := r.Past()
			if err != nil {
				return err
			}
			a.warn(past.Warnings)
			if p, _, err := a.tryLoad(); err == nil && p != nil {
				past.Records, _ = record.Identify(past.Records, p.Every())
			}
			all, err := pickHistories(past, a.suites, ids, dir)
			if err != nil {
				return err
			}
			doc := newHistoryDocument(all, len(ids) > 0)
			return a.print(doc, len(doc.Cases), func(i int) any { return doc.Cases[i] }, func(w io.Writer) { printHistory(w, doc) })
		},
	}
}
