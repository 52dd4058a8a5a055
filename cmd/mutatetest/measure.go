package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

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
	b, err := newBench(o, root, temp, out)
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
func (b *bench) verdict() error {
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

// A bench is one measurement on its way.
type bench struct {
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

func newBench(o options, root, temp string, out io.Writer) (*bench, error) {
	l, err := newLab(o, root, temp)
	if err != nil {
		return nil, err
	}
	r, err := newRule(root, l.cases)
	if err != nil {
		return nil, err
	}
	return &bench{options: o, lab: l, rule: r, out: out, standing: r.now()}, nil
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
func (b *bench) try(ctx context.Context, m mutate.Mutant) error {
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
			return errors.Join(err, write(file, m.Unedited()))
		}
	}
	var err error
	if c.after = c.before; !b.dry {
		c.after, err = b.lab.edited(ctx, c.before, c.selected, b.far(c))
	}
	if err == nil {
		err = b.compare(ctx, c)
	}
	err = errors.Join(err, write(file, m.Unedited()))
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
func (b *bench) far(c comparison) []bool {
	leave := make([]bool, len(b.lab.cases))
	for i := range leave {
		leave[i] = c.skip[i] || !c.selected[i] && !c.inFile(i) && (i+len(b.results))%farShare != 0
	}
	return leave
}
