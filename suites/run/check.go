package run

import (
	"context"
	"fmt"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/audit"
	"hookwatch/suites/discover"
	"hookwatch/suites/process"
)

// check looks at the machine and the project as they are.
func (r *Runner) check(ctx context.Context, c *suites.Case) (o suites.Outcome, err error) {
	begin := time.Now()
	f, sandbox, err := r.look(ctx, c, c.Check)
	o.Sandbox = sandbox
	if err != nil {
		return o, fmt.Errorf("%s: %w", c.Key(), err)
	}
	o.Finding = &f
	o.Results = []suites.Result{inTermsOfHooks(c.Check, f)}
	o.Duration = time.Since(begin)
	return o, nil
}

// look does what a check says. Only what has to be asked for its version runs, and
// it does so in a sandbox, whose directory is told.
func (r *Runner) look(ctx context.Context, c *suites.Case, check *suites.Check) (f suites.Finding, dir string, err error) {
	var s *sandbox
	defer func() {
		if s != nil {
			s.close()
		}
	}()
	m := audit.Machine{Root: r.Root, Env: r.Env, StandIns: r.StandIns, Hooks: r.Hooks}
	if m.Hooks == nil {
		m.Hooks = func(string, string) []discover.Hook { return nil }
	}
	m.Ask = func(ctx context.Context, argv []string) (process.Result, error) {
		if s == nil {
			if s, err = r.open(ctx, c, nil); err != nil {
				return process.Result{}, fmt.Errorf("prepare: %w", err)
			}
			dir = s.dir
		}
		return s.ask(ctx, argv)
	}
	f, err = m.Look(ctx, check)
	return f, dir, err
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
