package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites/record"
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
			dir, err := a.resultsDir()
			if err != nil {
				return err
			}
			before, after, err := pair(dir, args)
			if err != nil {
				return err
			}
			a.warn(append(before.Warnings, after.Warnings...))
			c := verdict.Compare(session.RunOf(before), session.RunOf(after))
			return a.print(c, len(c.Deltas), func(i int) any { return c.Deltas[i] }, func(w io.Writer) {
				_, _ = w.Write(report.Comparison(c))
			})
		},
	}
}

// pair reads the two runs that are meant.
func pair(dir string, args []string) (before, after *record.Snapshot, err error) {
	names := args
	if len(names) == 0 {
		runs, err := record.Runs(dir)
		if err != nil {
			return nil, nil, err
		}
		if len(runs) < 2 {
			return nil, nil, fmt.Errorf("%d full runs in %s: two are needed (hookwatch --once makes one)", len(runs), dir)
		}
		names = []string{runs[1].Stamp, runs[0].Stamp}
	}
	if before, err = snapshot(dir, names[0]); err != nil {
		return nil, nil, err
	}
	second := ""
	if len(names) == 2 {
		second = names[1]
	}
	after, err = snapshot(dir, second)
	if err == nil && len(after.Records) == 0 {
		err = errors.New("there is no present state to compare with: hookwatch --once makes one")
	}
	return before, after, err
}
