package engine

import (
	"context"
	"slices"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/plan"
)

// finish takes a finished case: back into the queue when its inputs are others
// by now, to its verdict otherwise. One that was cut short because the engine
// ends has none.
func (e *Engine) finish(ctx context.Context, x *execution) {
	delete(e.running, x.c.Key())
	e.busy.stop(e.o.Now())
	e.run.Cut = e.run.Cut || ctx.Err() != nil
	if e.run.Cut && !x.whole {
		e.discard(x)
		return
	}
	if e.again(x) {
		e.discard(x)
	} else {
		e.judge(x)
	}
	e.settle()
}

// again puts a case back into the queue whose inputs are not those that it
// started with, or drops it when it is no more.
func (e *Engine) again(x *execution) bool {
	k := x.c.Key()
	var changed []string
	x.stale = x.stale || !e.awaited && e.p.Gone() // a run that is awaited ends with what it finds
	if !x.stale {
		if changed = e.known.Freshness.Changed(x.seen); len(changed) == 0 {
			e.known.Freshness.Undisturbed(x.seen)
		}
		e.touched(changed)
	}
	c := e.p.Find(k)
	switch e.run.Next(k, x.stale, len(changed) > 0, c != nil) {
	case plan.Again:
		e.enqueue(c)
	case plan.Drop:
		e.drop(k)
	case plan.Conclude:
		return false
	}
	return true
}

// touched notes that files changed while cases ran that depend on them.
func (e *Engine) touched(paths []string) {
	for _, path := range e.known.Freshness.Touched(paths, e.p.Matters) {
		e.warnf("%s changes whenever cases run: it is taken to be written by the hooks, and selects nothing until hookwatch starts anew", path)
	}
}

// judge gives an execution its own verdict, and holds it for its control's.
func (e *Engine) judge(x *execution) {
	x.judge(e.timeout(x.c))
	if fault := machineFault(x.err); fault != nil && e.run.Fault == nil {
		e.run.Fault = fault
	}
	e.run.Judge(x.c.Key(), x.verdict)
	e.held[x.c.Key()] = x
}

func (e *Engine) timeout(c *suites.Case) time.Duration {
	if c.Timeout > 0 {
		return c.Timeout
	}
	return e.p.Config.Run.Timeout
}

// settle gives every held case its verdict whose control has one.
func (e *Engine) settle() {
	for progress := true; progress; {
		progress = false
		for k, x := range e.held {
			v, ok := e.run.Proven(x.c, x.verdict, e.pending)
			if !ok {
				continue
			}
			delete(e.held, k)
			e.conclude(x, v)
			progress = true
		}
	}
}

// abort ends the run before its time: what has no verdict yet gets one that
// says so.
func (e *Engine) abort(why string) {
	e.run.Aborted = why
	waiting := append(e.queue.Clear(), e.run.Behind...)
	e.run.Behind = nil
	for _, x := range e.running {
		x.cancel()
	}
	for _, x := range e.cutShort() {
		waiting = append(waiting, x.c)
	}
	slices.SortFunc(waiting, func(a, b *suites.Case) int { return e.p.Order(a.Key()) - e.p.Order(b.Key()) })
	for _, c := range waiting {
		x := &execution{c: c, ended: e.o.Now()}
		x.seen.Inputs = e.p.Graph.Inputs(c)
		x.digests = e.known.DigestsOf(c, x.seen.Inputs)
		e.conclude(x, suites.Verdict{Status: suites.Aborted, Note: suites.NoteAborted + why})
	}
}

// drain waits for the running cases after their context has ended.
func (e *Engine) drain() {
	e.queue.Clear()
	e.cutShort()
}

// cutShort waits for the running cases, which were told to end, and lists those
// without a verdict. One that came to its end before has one: only its tools were
// still looked at.
func (e *Engine) cutShort() (without []*execution) {
	e.run.Cut = true
	for len(e.running) > 0 {
		x := <-e.results
		delete(e.running, x.c.Key())
		e.busy.stop(e.o.Now())
		if x.whole && !x.stale && len(e.known.Freshness.Changed(x.seen)) == 0 {
			e.judge(x)
		} else {
			without = append(without, x)
		}
	}
	e.settle()
	for k, x := range e.held {
		without = append(without, x)
		delete(e.held, k)
	}
	for _, x := range without {
		e.discard(x)
	}
	return without
}
