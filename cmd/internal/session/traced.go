package session

import (
	"context"
	"path/filepath"
	"strings"
	"sync"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/selection"
	"hookwatch/suites/verdict"
)

// A tracing is one traced run of a case: what it executed is kept beside its
// record, and no verdict is made of it.
type tracing struct {
	execution
	last  *lastVerdict
	trace *trace.Trace // nil: there is none to be had
}

// tracers make traces while the files stay as they are.
type tracers struct {
	p        *project.Project
	contents *selection.Contents
	mu       sync.Mutex
	scripts  map[string]parsedScript // by path
}

type parsedScript struct {
	script *trace.Script
	err    error
}

func newTracers(p *project.Project, c *selection.Contents) *tracers {
	return &tracers{p: p, contents: c, scripts: make(map[string]parsedScript)}
}

// traceable is the verdict of a case that a trace would belong to: of a run on
// what is there now, without a trace so far. nil: there is none.
func (s *Session) traceable(c *suites.Case) *lastVerdict {
	last := s.present[c.Key()]
	switch {
	case last == nil || c.Layer == suites.Live || c.Check != nil:
		return nil
	case last.status == suites.Skip || last.status == suites.Aborted:
		return nil
	case last.digests != s.digestsNow(c):
		return nil
	}
	e := s.selector.Evidence(c.Key(), last.digests)
	s.selector.Release(c.Key()) // ten thousand of them need not stay in memory
	if e != nil && e.Trace != nil && e.Now == last.digests.Inputs {
		return nil
	}
	return last
}

// startTrace runs a case once more, traced; the result goes to done.
func (s *Session) startTrace(ctx context.Context, c *suites.Case, last *lastVerdict, by *tracers, done chan<- *tracing) {
	inputs, stamps := s.stamps.freshInputs(c, s.withoutOwn)
	t := &tracing{execution: execution{c: c, runner: s.runner, inputs: inputs, stamps: stamps}, last: last}
	timeout := s.timeout(c)
	go func() {
		t.outcome, t.err = t.runner.Traced(ctx, c, trace.Start)
		if t.err == nil && t.outcome.Trace != nil && t.outcome.NotRun == nil {
			t.trace = by.decode(c, &t.outcome)
			if !likeTheLast(c, t.outcome, verdict.Judge(c, t.outcome, timeout), last) {
				t.trace.Incomplete = "the traced run went otherwise than the one on record"
			}
		}
		done <- t
	}()
}

// likeTheLast reports whether a run of a case went as the one on record.
func likeTheLast(c *suites.Case, o suites.Outcome, v suites.Verdict, last *lastVerdict) bool {
	if v.Status.OK() != last.status.OK() && last.status != suites.Unproven {
		return false
	}
	i := shownStep(c, v)
	return i < len(o.Results) && printedBy(o.Results[i]) == last.printed
}

// finishTrace keeps a trace, unless something changed while it was made.
func (s *Session) finishTrace(ctx context.Context, t *tracing) {
	s.discard(&t.execution)
	key := t.c.Key()
	now := s.present[key]
	if ctx.Err() != nil || t.trace == nil || now == nil || now.digests != t.last.digests ||
		depend.InputsDigest(t.inputs) != now.digests.Inputs || len(s.stamps.changedSince(&t.execution)) > 0 {
		return
	}
	s.selector.Traced(key, now.digests, t.inputs, t.trace)
	if s.selector.Unsaved() >= heldTraces {
		s.save()
		s.selector.Forget()
	}
}

// heldTraces bounds the traces that are in memory and not yet on disk.
const heldTraces = 100

// Trace makes the traces that are missing of cases, and waits for them.
func (s *Session) Trace(ctx context.Context, cases []*suites.Case) {
	by := newTracers(s.p, s.contents)
	done := make(chan *tracing)
	running, alone := 0, false
	take := func() {
		t := <-done
		running--
		alone = alone && running > 0
		s.finishTrace(ctx, t)
	}
	for _, c := range cases {
		last := s.traceable(c)
		if last == nil || ctx.Err() != nil {
			continue
		}
		for running == s.jobs || running > 0 && (alone || c.Serial) {
			take()
		}
		s.startTrace(ctx, c, last, by, done)
		running++
		alone = c.Serial
	}
	for running > 0 {
		take()
	}
	s.save()
}

// decode makes a trace of what a run wrote down.
func (by *tracers) decode(c *suites.Case, o *suites.Outcome) *trace.Trace {
	root := o.Root
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	resolve := func(name, dir string) string { return resolved(root, name, dir) }
	r := trace.Run{Resolve: resolve, Script: by.script, Abnormal: abnormal(o)}
	for _, hook := range by.p.Fired(c, len(o.Results)) {
		if file := resolve(filepath.FromSlash(hook), o.Root); file != "" {
			r.Hooks = append(r.Hooks, file)
		}
	}
	for _, res := range o.Results {
		r.Output = append(r.Output, res.Stdout, res.Stderr)
	}
	t := trace.Decode(o.Trace, r)
	for _, ch := range o.Changes {
		if file, ok := strings.CutPrefix(ch.Path, "{project}/"); ok && t.Files[file] != nil && t.Incomplete == "" {
			t.Incomplete = "the case changes " + file + " while it runs"
		}
	}
	return t
}

// resolved is the path by which a file is known: from the root, or absolute.
func resolved(root, name, dir string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return ""
	}
	if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(real)
}

// abnormal says why a run may not have written down all.
func abnormal(o *suites.Outcome) string {
	for _, res := range o.Results {
		switch {
		case res.TimedOut:
			return "it timed out"
		case res.Signal != "":
			return "it ended by " + res.Signal
		case len(res.LeftBehind) > 0:
			return "it left processes behind"
		}
	}
	return ""
}

// script parses the present content of a file, once.
func (by *tracers) script(path string) (*trace.Script, error) {
	by.mu.Lock()
	defer by.mu.Unlock()
	if p, ok := by.scripts[path]; ok {
		return p.script, p.err
	}
	var p parsedScript
	content, err := by.contents.Script(path)
	if p.err = err; err == nil {
		p.script, p.err = trace.Parse(content)
	}
	by.scripts[path] = p
	return p.script, p.err
}
