package run

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/process"
)

// Case runs one case to its end, or until ctx ends. It returns an error if hookwatch itself fails,
// for example to create the sandbox.
func (r *Runner) Case(ctx context.Context, c *suites.Case) (suites.Outcome, error) {
	return r.run(ctx, c, nil, false)
}

// run runs a case and answers its costly expressions. The code that judges the outcome evaluates the
// cheap ones.
func (r *Runner) run(ctx context.Context, c *suites.Case, t suites.Tracer, observed bool) (suites.Outcome, error) {
	o, err := r.execute(ctx, c, t, observed)
	if err != nil {
		return o, err
	}
	for _, q := range o.Questions(c) {
		if o.Answers == nil {
			o.Answers = map[suites.Question]suites.ExpressionResult{}
		}
		o.Answers[q] = r.evaluator.Answer(ctx, q)
	}
	return o, nil
}

func (r *Runner) execute(ctx context.Context, c *suites.Case, t suites.Tracer, observed bool) (suites.Outcome, error) {
	if c.Check != nil {
		return r.check(ctx, c)
	}
	begin := time.Now()
	o := suites.Outcome{StandIns: r.standing(c), Unobserved: "it was not traced"}
	var err error
	if o.NotRun, err = r.gate(ctx, c); err != nil {
		return o, fmt.Errorf("%s: %w", c.Key(), err)
	}
	if o.NotRun != nil {
		return o, nil
	}
	s, err := r.open(ctx, c, t, observed && c.Layer != suites.Live)
	if err != nil {
		return o, fmt.Errorf("%s: prepare: %w", c.Key(), err)
	}
	o.Sandbox, o.Root, o.Named = s.dir, s.root, s.named
	spare := false
	defer func() {
		if !spare {
			s.close()
		}
	}()
	if c.Layer == suites.Live {
		if err := s.live(ctx, &o); err != nil {
			return o, fmt.Errorf("%s: %w", c.Key(), err)
		}
		o.Duration = time.Since(begin)
		return o, nil
	}
	for i := range c.Steps {
		if c.Turns != nil && i == c.Turns.Before {
			if err := s.takeTurns(ctx, &o); err != nil {
				return o, fmt.Errorf("%s: %w", c.Key(), err)
			}
			break
		}
		res, err := s.step(ctx, i)
		if err != nil {
			return o, fmt.Errorf("%s: step %d: %w", c.Key(), i+1, err)
		}
		o.Results = append(o.Results, res)
		if ctx.Err() != nil {
			break
		}
	}
	o.Changes, o.Stopped = s.changes()
	o.Unseen = s.unseen(o.Results)
	o.Trace = s.traceLogs()
	if observed {
		o.Accesses, o.Unobserved = s.accesses(o.Results)
		o.Project = r.Root
	}
	o.Withheld = s.withheld(&o)
	o.Stopped = append(o.Stopped, withheldNotes(o.Withheld)...)
	o.Duration = time.Since(begin)
	spare = r.Reuse && t == nil && !observed && s.isUntouched(&o) && r.pool.Spare(s.Sandbox, "tmp")
	return o, nil
}

// isUntouched reports whether the case put files into the sandbox only in its TMPDIR, and its hooks
// changed nothing and tried nothing that the sandbox prevents.
func (s *caseRun) isUntouched(o *suites.Outcome) bool {
	env := s.c.WantedEnv()
	if s.c.Project != nil || s.c.Repo != nil || len(env.Programs)+len(env.Server)+len(env.AbsentTools)+len(s.o.Instead.Files)+len(s.o.Instead.Removed)+len(o.Changes)+len(o.Stopped)+s.ended.Processes > 0 {
		return false
	}
	for i := range s.c.Steps {
		for _, f := range s.c.Steps[i].Fixtures {
			if !strings.HasPrefix(f.Path, "{tmp}/") || strings.Contains(f.Path, "..") {
				return false
			}
		}
	}
	return !slices.ContainsFunc(o.Results, func(r suites.Result) bool {
		return r.TimedOut || r.HoldsOutput || r.NotStarted != "" || r.Signal != "" || r.Memory > 0 || len(r.LeftBehind) > 0
	})
}

// TraceCase runs a case as Case does, traced by t, whose logs it adds to the outcome, and records the
// paths that its processes use. The outcome must not be judged, because tracing changes the hooks'
// environment. With a nil t only the paths are recorded.
func (r *Runner) TraceCase(ctx context.Context, c *suites.Case, t suites.Tracer) (suites.Outcome, error) {
	return r.run(ctx, c, t, true)
}

// step prepares a step, fires its hook and keeps the files and changes that its
// expectation needs.
func (s *caseRun) step(ctx context.Context, i int) (suites.Result, error) {
	st := &s.c.Steps[i]
	stdin, err := s.ready(ctx, i)
	if err != nil {
		return suites.Result{}, err
	}
	var res suites.Result
	switch registered := registeredBy(s.c, st); {
	case registered != "":
		res, err = s.fireAlone(ctx, st, registered, stdin)
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
		res.Changes, _ = s.changes()
	}
	return res, nil
}

// registeredBy returns the name of the registered hook that a step fires, "" if it fires another one or several.
func registeredBy(c *suites.Case, st *suites.Step) string {
	if st.Hook != "" {
		return st.Registered
	}
	return cmp.Or(st.Registered, c.Registered)
}

// ready writes the step's fixtures, and returns the input of its hook.
func (s *caseRun) ready(ctx context.Context, i int) ([]byte, error) {
	st := &s.c.Steps[i]
	for _, f := range st.Fixtures {
		if err := s.place(ctx, f); err != nil {
			return nil, err
		}
	}
	stdin, err := s.stdin(st)
	if err == nil && i == 0 {
		s.Begin()
	}
	return stdin, err
}

// check examines the machine and the project as they are.
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

// A look is the result of a check.
type look struct {
	finding  suites.Finding
	sandbox  string // the directory of its sandbox, "" if it needed none
	timedOut bool   // a program did not answer in time
}

// look performs a check. It runs programs only to ask for their versions, in a sandbox.
func (r *Runner) look(ctx context.Context, c *suites.Case, check *suites.Check) (l look, err error) {
	var s *caseRun
	defer func() {
		if s != nil {
			s.close()
		}
	}()
	m := auditedMachine{Root: r.Root, Env: r.Env, StandIns: r.StandIns, Hooks: r.Hooks, Reader: r.Reader}
	if m.Hooks == nil {
		m.Hooks = func(string, string) []discover.Hook { return nil }
	}
	m.Ask = func(ctx context.Context, argv []string) (process.Result, error) {
		if s == nil {
			if s, err = r.open(ctx, c, nil, false); err != nil {
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

// inTermsOfHooks converts a finding for the record format: exit 0 if the check succeeds, 1 if not,
// with the finding as the output.
func inTermsOfHooks(c *suites.Check, f suites.Finding) suites.Result {
	r := suites.Result{Stdout: []byte(f.Detail), Decision: c.Decision()}
	if !f.Holds {
		r.Exit, r.Decision, r.Stdout, r.Stderr = 1, "not "+c.Decision(), nil, []byte(f.Detail)
		if f.Absent != "" {
			r.Decision = "absent"
		}
	}
	r.StdoutBytes, r.StderrBytes = int64(len(r.Stdout)), int64(len(r.Stderr))
	return r
}

func (s *caseRun) placesOf() []place {
	all := []place{{s.tmp, "{tmp}"}, {s.root, "{project}"}}
	if s.override != "" {
		all = append(all, place{s.override, "{override}"})
	}
	if home := process.Getenv(s.env, "HOME"); home != "" && home != "/" {
		all = append(all, place{home, "~"})
	}
	if original, at := s.Copied(); at != "" {
		all = append(all, place{at, original})
	}
	for _, p := range all {
		if real, err := filepath.EvalSymlinks(p.dir); err == nil && real != p.dir {
			all = append(all, place{real, p.name})
		}
	}
	// The innermost directory comes first, so that symbolic uses it.
	slices.SortStableFunc(all, func(a, b place) int { return len(b.dir) - len(a.dir) })
	return all
}

// symbolic replaces the directories of this run by their names.
func (s *caseRun) symbolic(path string) string {
	for _, p := range s.places {
		if rest, ok := strings.CutPrefix(path, p.dir); ok && (rest == "" || rest[0] == '/') {
			return p.name + rest
		}
	}
	return path
}

// changes returns the case's changes so far, and the actions that isolation prevented.
func (s *caseRun) changes() ([]suites.Change, []string) {
	if s.places == nil {
		s.places = s.placesOf()
	}
	changes, stopped := s.Changes(s.ended)
	changes = slices.DeleteFunc(changes, func(c suites.Change) bool { return c.Path == filepath.Join(s.home(), ".claude") })
	if s.logs != nil { // files of the tracer are not the case's
		own := filepath.Join(s.dir, traceDir)
		changes = slices.DeleteFunc(changes, func(c suites.Change) bool { return disk.Within(own, c.Path) })
	}
	for i := range changes {
		changes[i].Path = s.symbolic(changes[i].Path)
	}
	return changes, stopped
}
