package session

import (
	"context"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/tracing"
	"hookwatch/suites/verdict"
)

// A tracedRun is one traced run of a case: what it executed is kept beside its
// record, and no verdict is made of it.
type tracedRun struct {
	execution
	last  *lastVerdict
	trace *trace.Trace // nil: there is none to be had
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
func (s *Session) startTrace(ctx context.Context, c *suites.Case, last *lastVerdict, by *tracing.Scripts, done chan<- *tracedRun) {
	inputs, stamps := s.stamps.freshInputs(c, s.withoutOwn)
	t := &tracedRun{execution: execution{c: c, runner: s.runner, inputs: inputs, stamps: stamps}, last: last}
	p, timeout := s.p, s.timeout(c)
	go func() {
		t.outcome, t.err = t.runner.Traced(ctx, c, trace.Start)
		if t.err == nil && t.outcome.Trace != nil && t.outcome.NotRun == nil {
			t.trace = tracing.Decode(&t.outcome, p.Fired(c, len(t.outcome.Results)), by)
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
func (s *Session) finishTrace(ctx context.Context, t *tracedRun) {
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
	by := tracing.NewScripts(s.contents.Script)
	done := make(chan *tracedRun)
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
