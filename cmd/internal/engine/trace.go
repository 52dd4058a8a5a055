package engine

import (
	"context"

	"hookwatch/cmd/internal/engine/decide"
	"hookwatch/cmd/internal/engine/state"
	"hookwatch/cmd/internal/engine/verdicts"
	"hookwatch/cmd/internal/notify"
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
	last  *verdicts.Verdict
	trace *trace.Trace // nil: there is none to be had
}

// startTrace runs a case once more, traced; the result goes to done.
func (e *Engine) startTrace(ctx context.Context, c *suites.Case, last *verdicts.Verdict, by *tracing.Scripts, done chan<- *tracedRun) {
	t := &tracedRun{execution: execution{c: c, runner: e.with.Runner, seen: e.known.Freshness.See(c)}, last: last}
	p, timeout := e.p, e.timeout(c)
	e.busy.start(e.o.Now())
	go func() {
		t.outcome, t.err = t.runner.Traced(ctx, c, trace.Start)
		if t.err == nil && t.outcome.Trace != nil && t.outcome.NotRun == nil {
			t.trace = tracing.Decode(&t.outcome, p.Fired(c, len(t.outcome.Results)), by)
			if !decide.Like(last, c, t.outcome, verdict.Judge(c, t.outcome, timeout)) {
				t.trace.Incomplete = "the traced run went otherwise than the one on record"
			}
		}
		done <- t
	}()
}

// heldTraces bounds the traces that are in memory and not yet on disk.
const heldTraces = 100

// finishTrace keeps a trace, unless something changed while it was made.
func (e *Engine) finishTrace(ctx context.Context, t *tracedRun) {
	e.busy.stop(e.o.Now())
	e.discard(&t.execution)
	k := t.c.Key()
	now := e.known.Verdicts.Present(k)
	if ctx.Err() != nil || t.trace == nil || now == nil || now.Digests != t.last.Digests ||
		depend.InputsDigest(t.seen.Inputs) != now.Digests.Inputs || len(e.known.Freshness.Changed(t.seen)) > 0 {
		return
	}
	e.known.Selector.Traced(k, now.Digests, t.seen.Inputs, t.trace)
	if e.known.Selector.Unsaved() >= heldTraces {
		e.known.Save()
		e.known.Selector.Forget()
	}
}

// Trace makes the traces that are missing of cases, and waits for them.
func (e *Engine) Trace(ctx context.Context, cases []*suites.Case) {
	by := tracing.NewScripts(e.known.Contents.Script)
	done := make(chan *tracedRun)
	running, alone := 0, false
	take := func() {
		t := <-done
		running--
		alone = alone && running > 0
		e.finishTrace(ctx, t)
	}
	for i, c := range cases {
		last := e.known.Traceable(c)
		if last == nil || ctx.Err() != nil {
			continue
		}
		e.o.View.Handle(notify.Tracing{Done: i, Of: len(cases)})
		for running == e.with.Jobs || running > 0 && (alone || c.Serial) {
			take()
		}
		e.startTrace(ctx, c, last, by, done)
		running++
		alone = c.Serial
	}
	for running > 0 {
		take()
	}
	e.known.Save()
}

// Coverage makes the traces that are missing, unless nothing is recorded here,
// and tells what they cover.
func (e *Engine) Coverage(ctx context.Context) state.Coverage {
	if e.o.Store != nil {
		e.Trace(ctx, e.p.Cases)
	}
	return e.known.Coverage()
}
