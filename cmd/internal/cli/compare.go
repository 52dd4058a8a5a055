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
			was, is := session.RunOf(before), session.RunOf(after)
			if p, _, err := a.tryLoad(); err == nil && p != nil {
				is.Concerns = p.Concerns
			}
			c := verdict.Compare(was, is)
			c.Warn("the earlier run is not whole: ", session.Incomplete(before, after))
			if len(args) != 1 { // the present state need not have every case
				c.Warn("the later run is not whole: ", session.Incomplete(after, before))
			}
			doc := newCompareDocument(c)
			return a.print(doc, len(doc.Deltas), func(i int) any { return doc.Deltas[i] }, func(w io.Writer) {
				_, _ = w.Write(report.Comparison(c))
			})
		},
	}
}

// compareDocument is the JSON document of compare. Counts has every kind; the counts add up to
// the number of cases in either run.
type compareDocument struct {
	Version     int                  `json:"version"`
	Before      verdict.RunSummary   `json:"before"`
	After       verdict.RunSummary   `json:"after"`
	Counts      map[verdict.Kind]int `json:"counts"`
	Deltas      []delta              `json:"deltas"`
	Environment []comparedTool       `json:"environment"`
	Warnings    []string             `json:"warnings"`
}

// delta is a case that differs; a side without the case is null.
type delta struct {
	verdict.Delta
	Tools []string `json:"tools"` // changed tools that the case uses
}

// comparedTool describes a tool that changed between the runs.
type comparedTool struct {
	Name string `json:"name"`
	What string `json:"what"`
}

// newCompareDocument converts a comparison.
func newCompareDocument(c verdict.Comparison) compareDocument {
	doc := compareDocument{
		Version: 1, Counts: c.Counts, Warnings: append([]string{}, c.Warnings...), Deltas: []delta{},
		Before: c.Prev, After: c.Cur,
		Environment: []comparedTool{},
	}
	for _, d := range c.Deltas {
		delta := delta{Delta: d, Tools: []string{}}
		for _, t := range d.Tools {
			delta.Tools = append(delta.Tools, t.Name)
		}
		doc.Deltas = append(doc.Deltas, delta)
	}
	for _, t := range c.Environment {
		doc.Environment = append(doc.Environment, comparedTool{t.Name, t.String()})
	}
	return doc
}

// snapshot reads an archived run, or the present state if run is "".
func snapshot(r *record.Reader, dir, run string) (*record.Snapshot, error) {
	if run == "" {
		return r.Read()
	}
	runs, err := r.Runs()
	if err != nil {
		return nil, err
	}
	for _, full := range runs {
		if full.Stamp == run || run == "latest" {
			return r.ReadRun(full)
		}
	}
	return nil, fmt.Errorf("no archived run %s in %s (there are %d)", run, dir, len(runs))
}

// pair reads the two runs to compare.
func pair(r *record.Reader, dir string, args []string) (before, after *record.Snapshot, err error) {
	names := args
	if len(names) == 0 {
		runs, err := r.Runs()
		if err != nil {
			return nil, nil, err
		}
		if len(runs) < 2 {
			return nil, nil, fmt.Errorf("%d full runs in %s: two are needed (hookwatch --once makes one)", len(runs), dir)
		}
		names = []string{runs[1].Stamp, runs[0].Stamp}
	}
	if before, err = snapshot(r, dir, names[0]); err != nil {
		return nil, nil, err
	}
	second := ""
	if len(names) == 2 {
		second = names[1]
	}
	after, err = snapshot(r, dir, second)
	if err == nil && len(after.Records) == 0 {
		err = errors.New("there is no present state to compare with: hookwatch --once makes one")
	}
	return before, after, err
}
