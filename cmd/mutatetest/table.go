package main

import (
	"fmt"
	"slices"
	"text/tabwriter"
)

// print writes the table: a line for each operator and their sums.
func (b *bench) print() {
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "operator\tmutants\tchanging\tmissed\tselected mean\tmedian\twith markers\tfile\tunit\treally changed\tmedian\t")
	var all, studied []result
	for _, op := range append(slices.Clone(OperatorNames), "history") {
		var of []result
		for _, r := range b.results {
			if r.operator == op {
				of = append(of, r)
			}
		}
		line(w, op, of)
		if slices.Contains(Study, op) {
			studied = append(studied, of...)
		}
		all = append(all, of...)
	}
	line(w, "the study's", studied)
	line(w, "all", all)
	_ = w.Flush()
}

func line(w *tabwriter.Writer, name string, list []result) {
	if len(list) == 0 {
		return
	}
	changing, missed := 0, 0
	for _, r := range list {
		missed += r.missed
		if r.changed > 0 {
			changing++
		}
	}
	selected := func(r result) int { return r.selected }
	changed := func(r result) int { return r.changed }
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.1f %%\t%.1f %%\t%.1f %%\t%.0f %%\t%.0f %%\t%.1f %%\t%.1f %%\t\n", name, len(list), changing, missed,
		mean(list, selected), median(list, selected),
		mean(list, func(r result) int { return r.marked }), mean(list, func(r result) int { return r.file }), mean(list, func(r result) int { return r.unit }),
		mean(list, changed), median(list, changed))
}
