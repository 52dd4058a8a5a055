package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/mutate"
)

var errMissed = errors.New("cases whose outcome changed were not selected")

// measure does everything once and prints the table.
func measure(ctx context.Context, o options, out io.Writer) error {
	temp, root, err := workspace(o.project)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	o.timeout = cmp.Or(o.timeout, 2*time.Second)
	b, err := newMeasurement(o, root, temp, out)
	if err != nil {
		return err
	}
	defer b.lab.runner.Close()
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
	return b.verdict()
}

// verdict is an error when a case was missed, or too little changed to tell.
func (b *measurement) verdict() error {
	changing := 0
	for _, r := range b.results {
		if r.changed > 0 {
			changing++
		}
	}
	switch {
	case b.missed > 0:
		return errMissed
	case changing < b.least:
		return fmt.Errorf("%d mutants changed an outcome, want %d", changing, b.least)
	default:
		return nil
	}
}

// A measurement is one run of the test on its way.
type measurement struct {
	options
	lab      *lab
	rule     *rule
	out      io.Writer
	before   []string
	flaky    []bool
	traces   []*trace.Trace
	standing standing
	results  []result
	missed   int
}

func newMeasurement(o options, root, temp string, out io.Writer) (*measurement, error) {
	l, err := newLab(o, root, temp)
	if err != nil {
		return nil, err
	}
	r, err := newRule(root, l.cases)
	if err != nil {
		return nil, err
	}
	return &measurement{options: o, lab: l, rule: r, out: out, standing: r.now()}, nil
}

// baseline runs the unedited hooks: twice as they are, to find the cases that
// do not repeat themselves, and once traced.
func (b *measurement) baseline(ctx context.Context) error {
	var err error
	if b.before, err = b.lab.outcomes(ctx); err != nil {
		return err
	}
	again, err := b.lab.outcomes(ctx)
	if err != nil {
		return err
	}
	var traced []string
	if b.traces, traced, err = b.lab.traces(ctx); err != nil {
		return err
	}
	b.rule.observe(b.traces)
	b.standing = b.rule.now()
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
		switch t := b.traces[i]; {
		case t == nil:
			fmt.Fprintf(b.out, "no trace of %s\n", b.lab.cases[i].Key())
		case t.Blind() != "":
			fmt.Fprintf(b.out, "trace of %s: %s\n", b.lab.cases[i].Key(), t.Blind())
		case t.Observed == nil:
			fmt.Fprintf(b.out, "not observed: %s\n", b.lab.cases[i].Key())
		}
	}
	fmt.Fprintf(b.out, "%d cases, %d do not repeat themselves, %d have another outcome when traced\n", len(b.before), flaky, differ)
	return nil
}

// try applies one mutant, runs every case and puts the file back.
func (b *measurement) try(ctx context.Context, m mutate.Mutant) error {
	file := filepath.Join(b.lab.root, filepath.FromSlash(m.File))
	c := comparison{Mutant: m, path: file, traces: b.traces, before: b.before, standing: b.standing, skip: b.flaky}
	if m.First != nil {
		if err := b.first(&c); err != nil {
			return err
		}
	}
	if err := write(file, m.Content); err != nil {
		return err
	}
	c.pick(b)
	settings := slices.Contains(b.rule.config.Settings, m.File)
	if settings {
		if err := b.lab.reregister(); err != nil {
			return errors.Join(err, write(file, m.Before()))
		}
	}
	var err error
	if c.after = c.before; !b.dry {
		c.after, err = b.lab.edited(ctx, c.before, c.selected, b.far(c))
	}
	if err == nil {
		err = b.compare(ctx, c)
	}
	err = errors.Join(err, write(file, m.Before()))
	if settings {
		err = errors.Join(err, b.lab.reregister())
	}
	b.rule.now(m.File)
	return err
}

// farShare: of the cases that do not depend on an edited file at all, one in so
// many is run all the same.
const farShare = 8

// far leaves out most of the cases that do not depend on the edited file: there
// are many where a project has several hooks.
func (b *measurement) far(c comparison) []bool {
	leave := make([]bool, len(b.lab.cases))
	for i := range leave {
		leave[i] = c.skip[i] || !c.selected[i] && !c.inFile(i) && (i+len(b.results))%farShare != 0
	}
	return leave
}

// A comparison is one edit with what came of it.
type comparison struct {
	mutate.Mutant
	path          string
	traces        []*trace.Trace
	standing      standing // before the edit
	before, after []string // outcomes by case
	skip          []bool   // cases of which nothing can be said
	choices       []choice
	selected      []bool
}

// pick asks which cases the edit, which is in place, can affect.
func (c *comparison) pick(b *measurement) {
	b.rule.know(c.Original, c.Content)
	c.choices = b.rule.choose(c.standing, c.traces, c.File)
	for i := range c.choices {
		c.selected = append(c.selected, c.choices[i].selected || c.skip[i])
	}
}

// compare notes which cases changed and which would have been selected.
func (b *measurement) compare(ctx context.Context, c comparison) error {
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
		r.count(changed, c.selected[i], c.choices[i].marked)
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

// inFile reports whether a case depends on the file.
func (c *comparison) inFile(i int) bool {
	return slices.ContainsFunc(c.standing.plain[i], func(in suites.Input) bool {
		return (in.Path == c.File || in.Path == depend.Elsewhere) && in.Digest != ""
	})
}

// confirm runs a case that seems to have been missed again, on the edited file
// and on the original: only what changes each time was changed by the edit.
func (b *measurement) confirm(ctx context.Context, c comparison, i int) (bool, error) {
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
func (b *measurement) first(c *comparison) error {
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

// What differs between two runs of the same: the numbers that hooks get in
// place of PIDs, PIDs themselves, and times.
var (
	sessionNumber = regexp.MustCompile(`1[0-9]{15}`)
	scratch       = regexp.MustCompile(`\btmp\.[A-Za-z0-9]{6,}`)                                    // what mktemp makes up
	clock         = regexp.MustCompile(`\b20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z?|\b1[0-9]{12}\b`) // or milliseconds since 1970
)

// fingerprint is all of an outcome that a case can be judged by.
func (l *lab) fingerprint(o suites.Outcome) string {
	var b strings.Builder
	if o.NotRun != nil {
		fmt.Fprintf(&b, "not run %v\n", *o.NotRun)
	}
	for _, r := range o.Results {
		fmt.Fprintf(&b, "exit %d signal %s timeout %v start %q decision %q effect %s\nstdout %s\nstderr %s\n",
			r.Exit, r.Signal, r.TimedOut, r.NotStarted, r.Decision, r.Effect, r.Stdout, r.Stderr)
		for _, name := range slices.Sorted(maps.Keys(r.Files)) {
			fmt.Fprintf(&b, "file %s\n%s\n", name, r.Files[name])
		}
	}
	text := strings.NewReplacer(o.Sandbox, "{sandbox}", l.root, "{project}").Replace(b.String())
	if o.Sandbox == "" {
		text = b.String()
	}
	text = scratch.ReplaceAllString(text, "{scratch}")
	return clock.ReplaceAllString(sessionNumber.ReplaceAllString(text, "{number}"), "{time}")
}

// A result is what one edit did.
type result struct {
	operator                                    string
	changed, selected, marked, repeated, missed int // cases
}

func (r *result) count(changed, selected, marked bool) {
	for to, is := range map[*int]bool{&r.changed: changed, &r.selected: selected, &r.marked: marked, &r.missed: changed && !selected} {
		if is {
			*to++
		}
	}
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

// print writes the table: a line for each operator and their sums.
func (b *measurement) print() {
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "operator\tmutants\tchanging\tmissed\tselected mean\tmedian\twith markers\treally changed\tmedian\t")
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
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.1f %%\t%.1f %%\t%.1f %%\t%.1f %%\t%.1f %%\t\n", name, len(list), changing, missed,
		mean(list, selected), median(list, selected),
		mean(list, func(r result) int { return r.marked }), mean(list, changed), median(list, changed))
}
