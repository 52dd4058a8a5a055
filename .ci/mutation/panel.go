package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/verdict"
)

// gatedBy is a digest of the tools that a case is gated by, as they are found now.
// Of one that a runner has to be asked for it is the runner's.
func (l *lab) gatedBy(c *suites.Case) string {
	var names []string
	for _, g := range c.Gates {
		names = append(names, (&suites.Check{Tool: g.Tool, Places: g.Places}).Programs()...)
	}
	return suites.ToolsDigest(l.tools.Find(names))
}

// A panel is what the cases of a lab did on the unedited project; all of its
// lists are by case.
type panel struct {
	takesPart []bool
	took      []time.Duration
	traces    []*trace.Trace // nil where there is none
	basis     []string       // digests of the case, of all that it depends on and of the tools that it is gated by
	whole     string         // of those that take part
}

// baseline runs every case as it is, and once more traced. One that passes only
// once is none that could tell what an edit did.
func (s *scoring) baseline(ctx context.Context) error {
	n := len(s.lab.cases)
	s.panel = panel{make([]bool, n), make([]time.Duration, n), make([]*trace.Trace, n), make([]string, n), ""}
	first, second := make([]suites.Verdict, n), make([]suites.Verdict, n)
	err := s.lab.each(ctx, func(i int, c *suites.Case) error {
		begin := time.Now()
		v, err := s.lab.judged(ctx, c, 0)
		first[i], s.panel.took[i] = v, time.Since(begin)
		return err
	})
	if err != nil {
		return err
	}
	err = s.lab.each(ctx, func(i int, c *suites.Case) error {
		var err error
		s.panel.traces[i], err = s.lab.traced(ctx, c, func(o suites.Outcome) { second[i] = verdict.Judge(c, o, patience) })
		return err
	})
	if err != nil {
		return err
	}
	first, second = proven(s.lab.cases, first), proven(s.lab.cases, second)
	count := map[suites.Status]int{}
	for i, c := range s.lab.cases {
		count[first[i].Status]++
		s.panel.takesPart[i] = first[i].Status == suites.Pass && second[i].Status == suites.Pass
		s.panel.basis[i] = digest(c.Key().String(), c.Digest, depend.InputsDigest(s.standing.plain[i]), s.lab.gatedBy(c))
		switch {
		case s.panel.takesPart[i]:
			s.panel.whole = digest(s.panel.whole, s.panel.basis[i])
		case first[i].Status != suites.Skip:
			fmt.Fprintf(s.out, "takes no part: %s, %s %s, then %s %s\n", c.Key(), first[i].Status, first[i].Note, second[i].Status, second[i].Note)
		}
	}
	fmt.Fprintf(s.out, "%d cases: %d pass, %d skipped, %d other\n", n, count[suites.Pass], count[suites.Skip], n-count[suites.Pass]-count[suites.Skip])
	if s.panel.whole == "" {
		return errors.New("no case passes on the project as it is")
	}
	return nil
}

// judged runs one case with a time-out, or with its own.
func (l *lab) judged(ctx context.Context, c *suites.Case, timeout time.Duration) (suites.Verdict, error) {
	bounded := *c
	if timeout > 0 {
		bounded.Timeout = timeout
	}
	o, err := l.runner.Case(ctx, &bounded)
	if err != nil {
		return suites.Verdict{}, err
	}
	defer func() { _ = l.runner.Remove(o) }()
	return verdict.Judge(&bounded, o, bounded.Timeout), nil
}

// proven are the verdicts with those of the controls taken into account.
func proven(cases []*suites.Case, own []suites.Verdict) []suites.Verdict {
	by := make(map[suites.Key]suites.Verdict, len(cases))
	for i, c := range cases {
		by[c.Key()] = own[i]
	}
	out := make([]suites.Verdict, len(cases))
	for i, c := range cases {
		out[i] = own[i]
		control, has := verdict.ControlOf(c)
		if !has {
			continue
		}
		v, ok := by[control]
		if !ok {
			v = suites.Verdict{Status: suites.Fail, Note: "was not run"}
		}
		out[i] = verdict.Prove(own[i], control, v)
	}
	return out
}
