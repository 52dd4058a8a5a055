package run

import (
	"context"
	"fmt"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/process"
	"hookwatch/suites/toolbox"
)

// check looks at the machine and the project as they are.
func (r *Runner) check(ctx context.Context, c *suites.Case) (o suites.Outcome, err error) {
	begin := time.Now()
	l, err := r.look(ctx, c, c.Check)
	o.Sandbox = l.sandbox
	if err != nil {
		return o, fmt.Errorf("%s: %w", c.Key(), err)
	}
	o.Finding = &l.finding
	o.Results = []suites.Result{inTermsOfHooks(c.Check, l.finding)}
	o.Duration = time.Since(begin)
	return o, nil
}

// A look is what came of a check.
type look struct {
	finding  suites.Finding
	sandbox  string // the directory of the one that it took, if it took one
	timedOut bool   // something that was asked gave no answer in time
}

// look does what a check says. Only what has to be asked for its version runs, and
// it does so in a sandbox.
func (r *Runner) look(ctx context.Context, c *suites.Case, check *suites.Check) (l look, err error) {
	var s *sandbox
	defer func() {
		if s != nil {
			s.close()
		}
	}()
	m := toolbox.AuditedMachine{Root: r.Root, Env: r.Env, StandIns: r.StandIns, Hooks: r.Hooks, Hidden: r.Reader.Hidden}
	if m.Hooks == nil {
		m.Hooks = func(string, string) []discover.Hook { return nil }
	}
	m.Ask = func(ctx context.Context, argv []string) (process.Result, error) {
		if s == nil {
			if s, err = r.sandboxes.open(ctx, c, nil); err != nil {
				return process.Result{}, fmt.Errorf("prepare: %w", err)
			}
			l.sandbox = s.dir
		}
		res, err := s.ask(ctx, argv)
		l.timedOut = l.timedOut || res.TimedOut
		return res, err
	}
	l.finding, err = m.Look(ctx, check)
	return l, err
}

// inTermsOfHooks says a finding as the record format has it: exit 0 where it
// holds, 1 where it does not, and what was found as the output.
func inTermsOfHooks(c *suites.Check, f suites.Finding) suites.Result {
	r := suites.Result{Stdout: []byte(f.Told), Decision: c.Decision()}
	if !f.Holds {
		r.Exit, r.Decision, r.Stdout, r.Stderr = 1, "not "+c.Decision(), nil, []byte(f.Told)
		if f.Absent != "" {
			r.Decision = "absent"
		}
	}
	r.StdoutBytes, r.StderrBytes = int64(len(r.Stdout)), int64(len(r.Stderr))
	return r
}
