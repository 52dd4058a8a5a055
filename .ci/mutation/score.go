package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// errScore is what a result is that says too little, or nothing good.
var errScore = errors.New("the suites do not notice enough")

// scored are the operators of the score, in the order of its table.
var scored = []string{"delete", "negate", "exit", "constant", "swap", "print", "arm"}

// A scoring measures how good suites are at noticing broken hooks.
//
// A mutant is killed by a case that passes on the project as it is and fails on
// the mutant, judged as a session judges. A case whose control is no longer
// caught becomes unproven, which needs no count: a control is a case too, and
// fails itself. Cases that do not pass on the unedited hook, most of all those
// whose tool is absent, take no part.
//
// Of the others those are run that a session would select for the edit. That
// this leaves out no case whose outcome changes is what the measurement without
// -score shows, for the same operators.
type scoring struct {
	options
	lab      *lab
	rule     *rule
	out      io.Writer
	panel    panel
	standing standing
	notes    notes
	ledger   *ledger
	results  []finding
}

// score does everything once and prints the tables.
func score(ctx context.Context, o options, out io.Writer) error {
	temp, root, err := workspace(o.project)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	s, err := newScoring(o, root, temp, out)
	if err != nil {
		return err
	}
	defer s.lab.runner.Close()
	defer s.ledger.close()
	if err := s.baseline(ctx); err != nil {
		return err
	}
	all, err := s.all()
	if err != nil {
		return err
	}
	if err := s.run(ctx, s.sample(all)); err != nil {
		return err
	}
	s.print()
	return s.verdict(all)
}

func newScoring(o options, root, temp string, out io.Writer) (*scoring, error) {
	l, err := newLab(o, root, temp)
	if err != nil {
		return nil, err
	}
	r, err := newRule(root, l.cases)
	if err != nil {
		return nil, err
	}
	s := &scoring{options: o, lab: l, rule: r, out: out, standing: r.now()}
	if s.notes, err = readNotes(o.survivors); err != nil {
		return nil, err
	}
	s.ledger, err = openLedger(o.resume)
	return s, err
}

// all makes every mutant of the hooks and of what they source or run, by file
// and operator. What two operators make counts for the first.
func (s *scoring) all() ([][]subject, error) {
	var all [][]subject
	for _, file := range executed(s.panel.traces) {
		src, err := s.lab.source(file, s.seed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		made := map[string]bool{}
		for _, op := range scored {
			if slices.Contains(s.operators, op) {
				all = append(all, unmade(subjects(src, op), made))
			}
		}
	}
	return all, nil
}

// sample takes as many of each file and operator as were asked for.
func (s *scoring) sample(all [][]subject) []subject {
	some := make([][]subject, len(all))
	for i, list := range all {
		some[i] = sampled(list, s.seed, s.max)
	}
	return inTurn(some)
}

// run tries the mutants, or takes what an earlier run found.
func (s *scoring) run(ctx context.Context, sample []subject) error {
	begin := time.Now()
	for i, m := range sample {
		if s.budget > 0 && time.Since(begin) > s.budget {
			fmt.Fprintf(s.out, "the time is over: %d mutants are left, and the score is of the others\n", len(sample)-i)
			return nil
		}
		f, known := s.recall(m)
		if !known {
			var err error
			if f, err = s.try(ctx, m); err != nil {
				return err
			}
			if err := s.keep(f); err != nil {
				return err
			}
		}
		s.results = append(s.results, f)
		if s.verbose {
			fmt.Fprintf(s.out, "%4d/%d %s\n", i+1, len(sample), f)
		}
	}
	return nil
}
