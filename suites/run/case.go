package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/expression"
	"hookwatch/suites/isolate"
)

// Case runs one case to its end, or until ctx ends. The error is for what
// hookwatch itself could not do, such as making the sandbox.
func (r *Runner) Case(ctx context.Context, c *suites.Case) (suites.Outcome, error) {
	o, err := r.run(ctx, c, nil)
	if err == nil {
		r.evaluate(ctx, c, &o)
	}
	return o, err
}

// evaluate answers those expressions of a case whose cost is not known. Judging the
// outcome evaluates the others.
func (r *Runner) evaluate(ctx context.Context, c *suites.Case, o *suites.Outcome) {
	for _, q := range o.Questions(c) {
		if o.Answers == nil {
			o.Answers = map[expression.Question]expression.Answer{}
		}
		o.Answers[q] = r.evaluator.Answer(ctx, q)
	}
}

func (r *Runner) run(ctx context.Context, c *suites.Case, t Tracer) (suites.Outcome, error) {
	if c.Check != nil {
		return r.check(ctx, c)
	}
	begin := time.Now()
	o := suites.Outcome{StandIns: r.standing(c)}
	var err error
	if o.NotRun, err = r.gate(ctx, c); err != nil {
		return o, fmt.Errorf("%s: %w", c.Key(), err)
	}
	if o.NotRun != nil {
		return o, nil
	}
	s, err := r.sandboxes.open(ctx, c, t)
	if err != nil {
		return o, fmt.Errorf("%s: prepare: %w", c.Key(), err)
	}
	o.Sandbox, o.Root, o.Named = s.dir, s.root, s.named
	defer s.close()
	if c.Layer == suites.Live {
		if err := s.live(ctx, &o); err != nil {
			return o, fmt.Errorf("%s: %w", c.Key(), err)
		}
		o.Duration = time.Since(begin)
		return o, nil
	}
	for i := range c.Steps {
		res, err := s.step(ctx, i)
		if err != nil {
			return o, fmt.Errorf("%s: step %d: %w", c.Key(), i+1, err)
		}
		o.Results = append(o.Results, res)
		if ctx.Err() != nil {
			break
		}
	}
	o.Changes, o.Stopped = s.changed()
	o.Unseen = s.unseen(o.Results)
	o.Trace = s.traced()
	o.Duration = time.Since(begin)
	return o, nil
}

// Traced runs a case as Case does, and traces it by t. Its outcome, which has
// the log in addition, is not to be judged: the surroundings are not the same.
func (r *Runner) Traced(ctx context.Context, c *suites.Case, t Tracer) (suites.Outcome, error) {
	o, err := r.run(ctx, c, t)
	if err == nil {
		r.evaluate(ctx, c, &o)
	}
	return o, err
}

// Log runs a case once more and gives only what t wrote down. It gives nil in place,
// where no case runs twice.
func (r *Runner) Log(ctx context.Context, c *suites.Case, t Tracer) ([]byte, error) {
	if r.inPlace() {
		return nil, nil
	}
	o, err := r.run(ctx, c, t)
	return o.Trace, errors.Join(err, r.Remove(o))
}

// inPlace reports whether cases run among the user's own files.
func (r *Runner) inPlace() bool { return r.Isolation == "" || r.Isolation == isolate.None }

// step writes the step's fixtures, fires its hook and keeps what the
// expectation will look at.
func (s *sandbox) step(ctx context.Context, i int) (suites.Result, error) {
	st := &s.c.Steps[i]
	for _, f := range st.Fixtures {
		if err := s.place(ctx, f); err != nil {
			return suites.Result{}, err
		}
	}
	stdin, err := s.stdin(st)
	if err != nil {
		return suites.Result{}, err
	}
	if i == 0 {
		s.Begin()
	}
	var res suites.Result
	switch registered := cmp.Or(st.Registered, s.c.Registered); {
	case registered != "" && (st.Hook == "" || st.Registered != ""):
		res, err = s.alone(ctx, st, registered, stdin)
	case s.c.Chain:
		res, err = s.chain(ctx, st, stdin)
	default:
		res, err = s.hook(ctx, st, stdin)
	}
	if err != nil {
		return res, err
	}
	res.Files = s.expectedFiles(st.Expect.Files)
	if slices.ContainsFunc(st.Expect.Files, func(f suites.FileExpectation) bool { return f.Change != "" }) {
		res.Changes, _ = s.changed()
	}
	return res, nil
}
