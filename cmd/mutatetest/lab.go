package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/process"
	"hookwatch/suites/run"
)

// A lab runs cases on a copy of a project.
type lab struct {
	options options
	temp    string
	env     []string
	root    string
	project *session.Project
	runner  *run.Runner
	bench   *bench.Bench
	timeout time.Duration
	cases   []*suites.Case
	cache   sync.Map // path -> parsed
}

// newLab makes a lab that runs the cases of a project as a session does: isolated,
// with its stand-ins and its policy for gates.
func newLab(o options, root, temp string) (*lab, error) {
	p, cases, err := load(o, root)
	if err != nil {
		return nil, err
	}
	// Next to the project, because uses of paths below the runner's own directory are not recorded.
	temp = filepath.Join(temp, "cases")
	if err := os.Mkdir(temp, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	l := &lab{options: o, temp: temp, root: root, timeout: o.timeout, project: p, cases: cases}
	l.bench = bench.New(o.jobs, func(ctx context.Context, q suites.Request) (suites.Outcome, error) { return l.runner.Make(ctx, q) })
	env := os.Environ()
	if o.path != "" {
		env = process.With(env, map[string]string{"PATH": o.path + string(filepath.ListSeparator) + os.Getenv("PATH")})
	}
	l.env = env
	if l.runner, err = session.NewRunner(p, temp, env); err == nil {
		l.runner.KeepReady(o.jobs)
	}
	return l, err
}

// reregister lets cases fire hooks as the settings register them now.
func (l *lab) reregister() error {
	p, _, err := load(l.options, l.root)
	if err != nil && !errors.Is(err, errNoCase) { // a hook that is not registered any longer has no script
		return err
	}
	runner, err := session.NewRunner(p, l.temp, l.env)
	if err != nil {
		return err
	}
	l.runner.Close()
	l.project, l.runner = p, runner
	l.runner.KeepReady(l.bench.Jobs())
	return nil
}

// each calls do for every case, several at a time.
func (l *lab) each(ctx context.Context, do func(i int, c *suites.Case) error) error {
	return l.bench.Each(ctx, len(l.cases), func(_ context.Context, i int) error { return do(i, l.cases[i]) })
}

// outcomes runs every case once.
func (l *lab) outcomes(ctx context.Context) ([]string, error) {
	out := make([]string, len(l.cases))
	err := l.each(ctx, func(i int, c *suites.Case) error {
		var err error
		out[i], _, err = l.outcome(ctx, c, 0)
		return err
	})
	return out, err
}

// edited runs cases on an edited hook; those that are left out keep the outcome
// that they had. An edit can make the hook hang: once a few of the selected cases
// did, which cannot be missed, the rest of these is taken to hang too.
func (l *lab) edited(ctx context.Context, before []string, selected, leave []bool) ([]string, error) {
	out := slices.Clone(before)
	var hung atomic.Int32
	err := l.each(ctx, func(i int, c *suites.Case) error {
		switch {
		case leave[i]:
			return nil
		case selected[i] && hung.Load() >= hangsEnough:
			out[i] = "not run: others hang"
			return nil
		}
		text, hangs, err := l.outcome(ctx, c, l.timeout)
		if out[i] = text; hangs {
			hung.Add(1)
		}
		return err
	})
	return out, err
}

const hangsEnough = 4

// patience is how long a hook may take that is not expected to hang.
const patience = time.Minute

// outcome runs one case with a time-out, or with its own.
func (l *lab) outcome(ctx context.Context, c *suites.Case, timeout time.Duration) (text string, hangs bool, err error) {
	bounded := *c
	if timeout > 0 {
		bounded.Timeout = timeout
	}
	o, err := l.bench.Fire(ctx, suites.Request{Case: &bounded})
	if err != nil {
		return "", false, err
	}
	for _, r := range o.Results {
		hangs = hangs || r.TimedOut
	}
	return l.fingerprint(o), hangs, nil
}

// traces runs every case once more, traced, and returns what it executed,
// nil where that cannot be had, and its outcome.
func (l *lab) traces(ctx context.Context) ([]*trace.Trace, []string, error) {
	l.cache.Clear()
	out := make([]*trace.Trace, len(l.cases))
	prints := make([]string, len(l.cases))
	err := l.each(ctx, func(i int, c *suites.Case) error {
		var err error
		out[i], err = l.traced(ctx, c, func(o suites.Outcome) { prints[i] = l.fingerprint(o) })
		return err
	})
	return out, prints, err
}

// traced runs one case, traced. see is shown the outcome, whose files are gone
// afterwards.
func (l *lab) traced(ctx context.Context, c *suites.Case, see func(suites.Outcome)) (*trace.Trace, error) {
	o, err := l.bench.Fire(ctx, suites.Request{Case: c, Trace: trace.Start, Observed: true})
	if err != nil {
		return nil, err
	}
	see(o)
	if o.NotRun != nil || o.Trace == nil { // one that sets BASH_ENV itself is not traced
		return nil, nil
	}
	facts := l.facts(c, o)
	observed, uses := trace.ObservedIn(&o)
	facts.Uses = uses
	t := trace.Decode(o.Trace, facts)
	t.Observed = observed
	return t, nil
}

// facts are what decoding needs in addition to the log.
func (l *lab) facts(c *suites.Case, o suites.Outcome) trace.Run {
	r := trace.Run{Resolve: l.resolve, Script: l.parse, Hooks: l.project.FiredScripts(c, len(o.Results))}
	for _, res := range o.Results {
		r.Output = append(r.Output, res.Stdout, res.Stderr)
		switch {
		case res.TimedOut:
			r.Abnormal = "it timed out"
		case res.Signal != "":
			r.Abnormal = "it ended by " + res.Signal
		}
	}
	return r
}

func (l *lab) resolve(name, dir string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return ""
	}
	if rel, err := filepath.Rel(l.root, real); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return real
}

type parsed struct {
	script *script.Script
	err    error
}

// version is a file, parsed by a language.
type version struct {
	path string
	by   trace.Language
}

func (l *lab) parse(path string, by trace.Language) (*script.Script, error) {
	v := version{path, by}
	if p, ok := l.cache.Load(v); ok {
		return p.(parsed).script, p.(parsed).err
	}
	file := filepath.FromSlash(path)
	if !filepath.IsAbs(file) {
		file = filepath.Join(l.root, file)
	}
	var p parsed
	data, err := os.ReadFile(file)
	if p.err = err; err == nil {
		if by == nil {
			p.script, p.err = trace.Parse(path, data)
		} else {
			p.script, p.err = by.Parse(data)
		}
	}
	l.cache.Store(v, p)
	return p.script, p.err
}
