package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

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
	delta := []string{"Delta", "", "", formatSigned(c.Cur.Cases - c.Prev.Cases)}
	for _, n := range []int{is.Passed - was.Passed, is.Failed - was.Failed, is.Skipped - was.Skipped, is.Unproven - was.Unproven, is.Aborted - was.Aborted} {
		delta = append(delta, formatSigned(n))
	}
	d.table(append([]string{"Run", "ID", "Ended", "Cases"}, statusNames...), append(rows, delta))
}

func formatSigned(n int) string {
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
	state := plain(cmp.Or(t.Version, "present")) + ", " + code(t.Path)
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

// headline returns the common cause of several failures, with their number.
func headline(g *verdict.CauseGroup) string {
	return plain(brief(g.Headline(), 200)) + "; " + plural(len(g.Cases), "case")
}

func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// ids lists cases by suite, with ranges for consecutive ones, in the form in which they are shown.
func ids(keys []suites.Key, show func(string) string) string {
	var order []string
	of := map[string][]string{}
	for _, k := range keys {
		if of[k.Suite] == nil {
			order = append(order, k.Suite)
		}
		of[k.Suite] = append(of[k.Suite], k.ID)
	}
	var parts []string
	for _, suite := range order {
		text := strings.Join(suites.ShortenIDs(of[suite]), " ")
		if suite != "" {
			text = suite + ": " + text
		}
		parts = append(parts, show(text))
	}
	return strings.Join(parts, "; ")
}

// alike groups the deltas of a kind whose later sides fail for the same cause.
func alike(deltas []verdict.Delta, kind verdict.Kind) [][]*verdict.Delta {
	var out [][]*verdict.Delta
	type key struct {
		cause verdict.Cause
		why   string // from why, if the cause is not in a file
	}
	at := map[key]int{}
	for i := range deltas {
		d := &deltas[i]
		switch {
		case d.Kind != kind:
			continue
		case d.Cur == nil || d.Cur.Status != suites.Fail:
			out = append(out, []*verdict.Delta{d})
			continue
		}
		k := key{cause: d.Cur.Cause()}
		if k.cause.Kind == verdict.CauseEqual {
			k.why = why(d)
		}
		if j, known := at[k]; known {
			out[j] = append(out[j], d)
			continue
		}
		at[k] = len(out)
		out = append(out, []*verdict.Delta{d})
	}
	return out
}

// together returns one line for a group of deltas.
func together(same []*verdict.Delta) string {
	what := why(same[0])
	if c := same[0].Cur.Cause(); c.Kind != verdict.CauseEqual {
		what = c.Headline()
	}
	keys := make([]suites.Key, len(same))
	for i, d := range same {
		keys[i] = d.Key
	}
	return fmt.Sprintf("%s; %s: %s", plain(brief(what, 300)), plural(len(same), "case"), ids(keys, plain))
}

// why describes the change of a case in a few words.
func why(d *verdict.Delta) string {
	var parts []string
	switch {
	case d.Prev == nil:
		parts = append(parts, "new, "+string(d.Cur.Status))
	case d.Cur == nil:
		parts = append(parts, "was "+string(d.Prev.Status))
	case d.Prev.Status != d.Cur.Status:
		parts = append(parts, fmt.Sprintf("%s -> %s", d.Prev.Status, d.Cur.Status))
	default:
		parts = append(parts, "still "+string(d.Cur.Status))
	}
	if d.Cur != nil && d.Cur.Note != "" && (d.Prev == nil || d.Prev.Note != d.Cur.Note) {
		parts = append(parts, brief(d.Cur.Note, 200))
	}
	if len(d.Tools) > 0 {
		var tools []string
		for _, t := range d.Tools {
			tools = append(tools, t.String())
		}
		parts = append(parts, "tools: "+strings.Join(tools, ", "))
	}
	if d.Inputs && d.Kind == verdict.Explained {
		parts = append(parts, "but what it tests changed as well")
	}
	return strings.Join(parts, "; ")
}
