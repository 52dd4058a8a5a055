package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hookwatch/suites/depend/edit"
	"hookwatch/suites/depend/trace"
)

var errMissed = errors.New("cases whose outcome changed were not selected")

// measure does everything once and prints the table.
func measure(ctx context.Context, o options, out io.Writer) error {
	temp, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if temp, err = filepath.EvalSymlinks(temp); err != nil {
		return err
	}
	root := filepath.Join(temp, "project")
	if err := copyProject(o.project, root); err != nil {
		return err
	}
	cases, err := loadCases(o, root)
	if err != nil {
		return err
	}
	b := &bench{options: o, lab: newLab(o, root, temp, cases), out: out}
	if err := b.baseline(ctx); err != nil {
		return err
	}
	begin := time.Now()
	for _, m := range b.choose() {
		if o.budget > 0 && time.Since(begin) > o.budget {
			break
		}
		if err := b.try(ctx, m); err != nil {
			return err
		}
	}
	if o.history != "" {
		if err := b.replay(ctx); err != nil {
			return err
		}
	}
	b.print()
	if b.missed > 0 {
		return errMissed
	}
	return nil
}

// A bench is one measurement on its way.
type bench struct {
	options
	lab     *lab
	out     io.Writer
	before  []string
	flaky   []bool
	traces  []*trace.Trace
	results []result
	missed  int
}

// baseline runs the unedited hooks: twice as they are, to find the cases that
// do not repeat themselves, and once traced.
func (b *bench) baseline(ctx context.Context) error {
	var err error
	if b.before, err = b.lab.outcomes(ctx); err != nil {
		return err
	}
	again, err := b.lab.outcomes(ctx)
	if err != nil {
		return err
	}
	traced := []string{}
	if b.traces, traced, err = b.lab.traces(ctx); err != nil {
		return err
	}
	b.flaky = make([]bool, len(b.before))
	flaky, differ := 0, 0
	for i := range b.before {
		b.flaky[i] = b.before[i] != again[i]
		if b.flaky[i] {
			flaky++
			fmt.Fprintf(b.out, "does not repeat itself: %s\n--- once\n%s--- again\n%s", b.lab.cases[i].Key(), b.before[i], again[i])
		} else if traced[i] != b.before[i] {
			differ++
			fmt.Fprintf(b.out, "another outcome when traced: %s\n--- plain\n%s--- traced\n%s", b.lab.cases[i].Key(), b.before[i], traced[i])
		}
		if t := b.traces[i]; t != nil && (t.Incomplete != "" || t.Opaque != "") {
			fmt.Fprintf(b.out, "trace of %s: %s %s\n", b.lab.cases[i].Key(), t.Incomplete, t.Opaque)
		}
	}
	fmt.Fprintf(b.out, "%d cases, %d do not repeat themselves, %d have another outcome when traced\n", len(b.before), flaky, differ)
	return nil
}

// A result is what one edit did.
type result struct {
	operator                                string
	changed, selected, file, unit, repeated int // cases
	missed                                  int
}

// try applies one mutant, runs every case and puts the file back.
func (b *bench) try(ctx context.Context, m mutant) error {
	file := filepath.Join(b.lab.root, filepath.FromSlash(m.file))
	c := comparison{mutant: m, path: file, traces: b.traces, before: b.before}
	c.pick(b)
	if b.dry {
		c.after = c.before
		return b.compare(ctx, c)
	}
	if err := write(file, m.content); err != nil {
		return err
	}
	var err error
	if c.after, err = b.lab.edited(ctx, c.selected); err == nil {
		err = b.compare(ctx, c)
	}
	return errors.Join(err, write(file, m.original))
}

// A comparison is one edit with what came of it.
type comparison struct {
	mutant
	path          string
	traces        []*trace.Trace
	before, after []string // outcomes by case
	edits         *edit.Edits
	selected      []bool
	because       []string
}

// pick asks which cases the edit can affect.
func (c *comparison) pick(b *bench) {
	c.edits = edit.Compare(c.file, c.original, c.content)
	c.selected, c.because = make([]bool, len(c.traces)), make([]string, len(c.traces))
	for i, t := range c.traces {
		c.selected[i], c.because[i] = edit.Affected(c.edits, t)
		c.selected[i] = c.selected[i] || b.flaky[i]
	}
}

// compare notes which cases changed and which would have been selected.
func (b *bench) compare(ctx context.Context, c comparison) error {
	r := result{operator: c.operator}
	for i := range b.lab.cases {
		if b.flaky[i] {
			continue
		}
		r.repeated++
		changed := c.before[i] != c.after[i]
		if changed && !c.selected[i] {
			var err error
			if changed, err = b.confirm(ctx, c, i); err != nil {
				return err
			}
		}
		r.count(changed, c.selected[i], comesThrough(c.traces[i], c.file), edit.SameUnit(c.edits, c.traces[i]))
		if changed && !c.selected[i] {
			fmt.Fprintf(b.out, "MISSED %s by %s (%s): %s\n--- before\n%s--- after\n%s", b.lab.cases[i].Key(), c.mutant, c.edits.List, c.because[i], c.before[i], c.after[i])
		}
	}
	b.missed += r.missed
	b.results = append(b.results, r)
	if b.verbose {
		fmt.Fprintf(b.out, "%-10s %3d changed %3d selected  %s  %v %s\n", c.operator, r.changed, r.selected, c.mutant, c.edits.List, c.edits.All)
	}
	return nil
}

func (r *result) count(changed, selected, file, unit bool) {
	for _, n := range []struct {
		is bool
		to *int
	}{{changed, &r.changed}, {selected, &r.selected}, {file, &r.file}, {unit, &r.unit}, {changed && !selected, &r.missed}} {
		if n.is {
			*n.to++
		}
	}
}

func comesThrough(t *trace.Trace, file string) bool {
	return t == nil || t.Files[file] != nil
}

// confirm runs a case that seems to have been missed again, on the edited file
// and on the original: only what changes each time was changed by the edit.
func (b *bench) confirm(ctx context.Context, c comparison, i int) (bool, error) {
	if err := write(c.path, c.content); err != nil {
		return false, err
	}
	edited, _, err := b.lab.outcome(ctx, b.lab.cases[i], patience)
	if err != nil {
		return false, err
	}
	if err := write(c.path, c.original); err != nil {
		return false, err
	}
	original, _, err := b.lab.outcome(ctx, b.lab.cases[i], patience)
	return edited != c.before[i] && original == c.before[i], err
}

// mean and median of what a part of the results gives, in percent of the cases.
func mean(results []result, of func(result) int) float64 {
	sum := 0.0
	for _, r := range results {
		sum += share(r, of)
	}
	return sum / float64(max(len(results), 1))
}

func median(results []result, of func(result) int) float64 {
	if len(results) == 0 {
		return 0
	}
	var list []float64
	for _, r := range results {
		list = append(list, share(r, of))
	}
	slices.Sort(list)
	mid := len(list) / 2
	if len(list)%2 == 1 {
		return list[mid]
	}
	return (list[mid-1] + list[mid]) / 2
}

func share(r result, of func(result) int) float64 {
	return 100 * float64(of(r)) / float64(max(r.repeated, 1))
}
