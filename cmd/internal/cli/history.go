package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/cli/history"
	"hookwatch/cmd/internal/cli/ids"
	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/record/foreign"
	"hookwatch/suites/verdict"
)

func (a *app) historyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "history [ID...]",
		Short: "Tell verdicts, durations and tools over all that is on record",
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
				past.Records, _ = foreign.Identify(past.Records, p.Every())
			}
			all, err := a.histories(past, ids, dir)
			if err != nil {
				return err
			}
			doc := history.New(all, len(ids) > 0)
			return a.print(doc, len(doc.Cases), func(i int) any { return doc.Cases[i] }, func(w io.Writer) { history.Text(w, doc) })
		},
	}
}

// histories picks those that are asked for. Cases that the project no longer has
// are on record all the same.
func (a *app) histories(past *record.Past, asked []string, dir string) ([]verdict.CaseHistory, error) {
	if len(past.Records) == 0 {
		return nil, fmt.Errorf("nothing is on record in %s (hookwatch --once runs all cases)", dir)
	}
	all := slices.DeleteFunc(verdict.Histories(past.Records, past.Environments), func(h verdict.CaseHistory) bool {
		return len(a.suites) > 0 && !slices.Contains(a.suites, h.Key.Suite)
	})
	if len(asked) == 0 {
		return all, nil
	}
	var picked []verdict.CaseHistory
	var unknown []string
	for _, id := range asked {
		found := ids.Pick(all, id, func(h verdict.CaseHistory) (suites.Key, string) { return h.Key, h.Name })
		if len(found) == 0 {
			unknown = append(unknown, id)
		}
		picked = append(picked, found...)
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("nothing is on record of %s (hookwatch history lists what is)", strings.Join(unknown, ", "))
	}
	return picked, nil
}
