package main

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"hookwatch/suites/depend/edit"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/mutate"
)

// A comparison is one edit with what came of it.
type comparison struct {
	mutate.Mutant
	path          string
	traces        []*trace.Trace
	standing      standing // before the edit
	before, after []string // outcomes by case
	skip          []bool   // cases of which nothing can be said
	edits         *edit.Edits
	unit          []trace.Key // that the edits are in, see unitKeys
	choices       []choice
	selected      []bool
}

// pick asks which cases the edit, which is in place, can affect.
func (c *comparison) pick(b *bench) {
	if path.Ext(c.File) != ".json" {
		c.edits = edit.Compare(c.File, c.Original, c.Content)
		c.unit = unitKeys(c.edits, c.Original, c.Content)
	}
	b.rule.know(c.Original, c.Content)
	c.choices = b.rule.choose(c.standing, c.traces, c.File)
	for i := range c.choices {
		c.selected = append(c.selected, c.choices[i].selected || c.skip[i])
	}
}

// compare notes which cases changed and which would have been selected.
func (b *bench) compare(ctx context.Context, c comparison) error {
	r := result{operator: c.Operator}
	for i := range b.lab.cases {
		if c.skip[i] {
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
		r.count(changed, c.selected[i], c.choices[i].marked, c.inFile(i), c.inUnit(i))
		if changed && !c.selected[i] {
			fmt.Fprintf(b.out, "MISSED %s by %s (%s): %s\n--- before\n%s--- after\n%s", b.lab.cases[i].Key(), c.Mutant, c.What, c.choices[i].because, c.before[i], c.after[i])
		}
	}
	if r.repeated == 0 {
		return nil // a first edit left out no case
	}
	b.missed += r.missed
	b.results = append(b.results, r)
	if b.verbose {
		fmt.Fprintf(b.out, "%-10s %3d changed %3d selected %3d marked  %s\n%s", c.Operator, r.changed, r.selected, r.marked, c.Mutant, c.reasons())
	}
	return nil
}

// reasons sums up why cases were selected.
func (c *comparison) reasons() string {
	count := map[string]int{}
	for i, ch := range c.choices {
		if ch.selected && !c.skip[i] {
			count[ch.because]++
		}
	}
	var b strings.Builder
	for _, why := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(&b, "  %3d %s\n", count[why], why)
	}
	return b.String()
}

// inFile is the rule that selects by files: a case that depends on the file.
func (c *comparison) inFile(i int) bool { return c.standing.dependsOn(i, c.File) }

// inUnit is the rule that selects by functions and whole statements; a document
// has none.
func (c *comparison) inUnit(i int) bool {
	if c.edits == nil {
		return c.inFile(i)
	}
	return c.inFile(i) && sameUnit(c.edits, c.unit, c.traces[i])
}

// confirm runs a case that seems to have been missed again, on the edited file
// and on the original: only what changes each time was changed by the edit.
func (b *bench) confirm(ctx context.Context, c comparison, i int) (bool, error) {
	if err := write(c.path, c.Content); err != nil {
		return false, err
	}
	edited, _, err := b.lab.outcome(ctx, b.lab.cases[i], patience)
	if err != nil {
		return false, err
	}
	if err := write(c.path, c.Original); err != nil {
		return false, err
	}
	original, _, err := b.lab.outcome(ctx, b.lab.cases[i], patience)
	return edited != c.before[i] && original == c.before[i], err
}

// first applies the edit before the one that is measured. What it selects would
// be run and traced again, and is left out.
func (b *bench) first(c *comparison) error {
	if err := write(c.path, c.Original); err != nil {
		return err
	}
	b.rule.know(c.First, c.Original)
	c.skip, c.traces = slices.Clone(c.skip), make([]*trace.Trace, len(b.traces))
	for i, choice := range b.rule.choose(c.standing, b.traces, c.File) {
		c.skip[i] = c.skip[i] || choice.selected
		c.traces[i] = choice.trace
	}
	c.standing = b.rule.now(c.File)
	return nil
}
