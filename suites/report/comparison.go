package report

import (
	"fmt"
	"strconv"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// Comparison returns the content of COMPARISON.md.
func Comparison(c verdict.Comparison) []byte {
	var d document
	d.heading(1, "Comparison of two runs")
	d.runs(c)
	if len(c.Warnings) > 0 {
		d.heading(2, "Warnings")
		for _, w := range c.Warnings {
			d.line("- %s", plain(w))
		}
	}
	d.heading(2, "Environment delta")
	d.toolChanges(c.Environment)
	d.heading(2, "Test result delta")
	d.deltas(c.Deltas)
	d.heading(2, "Sums")
	d.sums(c)
	d.heading(2, "Actionable items")
	d.items(comparisonItems(c), "None: the runs agree.")
	return d.Bytes()
}

func (d *document) runs(c verdict.Comparison) {
	var rows [][]string
	for _, side := range []struct {
		name string
		run  verdict.RunSummary
	}{{"Earlier", c.Prev}, {"Later", c.Cur}} {
		at := "–"
		if !side.run.Time.IsZero() {
			at = side.run.Time.UTC().Format(suites.TimestampLayout)
		}
		row := []string{side.name, code(side.run.ID), at, strconv.Itoa(side.run.Cases)}
		rows = append(rows, append(row, counts(side.run.Tally)...))
	}
	was, is := c.Prev.Tally, c.Cur.Tally
	delta := []string{"Delta", "", "", signed(c.Cur.Cases - c.Prev.Cases)}
	for _, n := range []int{is.Passed - was.Passed, is.Failed - was.Failed, is.Skipped - was.Skipped, is.Unproven - was.Unproven, is.Aborted - was.Aborted} {
		delta = append(delta, signed(n))
	}
	d.table(append([]string{"Run", "ID", "Ended", "Cases"}, statusNames...), append(rows, delta))
}

func signed(n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%+d", n)
}

func (d *document) toolChanges(changes []verdict.ToolChange) {
	if len(changes) == 0 {
		d.line("No tool changed.")
		return
	}
	var rows [][]string
	for _, t := range changes {
		rows = append(rows, []string{plain(t.Name), string(t.Kind), toolState(t.Prev), toolState(t.Cur)})
	}
	d.table([]string{"Tool", "Change", "Earlier", "Later"}, rows)
}

func toolState(t suites.Tool) string {
	if !t.Present() {
		return "absent"
	}
	state := plain(or(t.Version, "present")) + ", " + code(t.Path)
	if t.StandIn {
		state += ", stand-in"
	}
	return state
}

func (d *document) deltas(deltas []verdict.Delta) {
	if len(deltas) == 0 {
		d.line("No case differs.")
		return
	}
	var rows [][]string
	for i := range deltas {
		delta := &deltas[i]
		rows = append(rows, []string{code(delta.Key.String()), name(delta.Name), sideCell(delta.Prev), sideCell(delta.Cur),
			string(delta.Kind), plain(why(delta))})
	}
	d.table([]string{"Case", "Name", "Earlier", "Later", "Delta", "Why"}, rows)
}

// sideCell formats a verdict with its exit and decision: "fail, exit 2, block".
func sideCell(s *verdict.Side) string {
	if s == nil {
		return "–"
	}
	cell := string(s.Status)
	if s.Exit != nil {
		cell += fmt.Sprintf(", exit %d", *s.Exit)
	}
	if s.Decision != "" {
		cell += ", " + plain(s.Decision)
	}
	return cell
}

func (d *document) sums(c verdict.Comparison) {
	var rows [][]string
	for _, kind := range verdict.Kinds {
		rows = append(rows, []string{string(kind), strconv.Itoa(c.Counts[kind])})
	}
	d.table([]string{"Kind", "Cases"}, append(rows, []string{"**total**", strconv.Itoa(c.Total())}))
}
