package engine

import (
	"context"
	"time"

	"hookwatch/suites/plan"
)

// keptReady bounds the supervisors that wait for a save: the first cases of a
// selection are what a person waits for.
const keptReady = 2

// Once runs what is selected to its end and tells how it went.
func (e *Engine) Once(ctx context.Context, selected []plan.Selected, full bool) Summary {
	e.awaited = true
	e.begin(ctx, selected, full)
	if most := e.with.Jobs; e.queue.Len() > 2*most { // fewer are done before it pays
		e.with.KeepReady(min(most, keptReady))
		defer e.with.KeepReady(0)
	}
	backstop := time.NewTimer(e.p.Config.Run.Backstop)
	defer backstop.Stop()
	for e.underway() {
		e.fill(ctx)
		select {
		case x := <-e.results:
			delete(e.running, x.c.Key())
			e.fill(ctx) // the next one runs while this one is judged
			e.finish(ctx, x)
			e.passPreflight()
		case <-backstop.C:
			e.abort("backstop: the run took " + e.p.Config.Run.Backstop.String())
		case <-ctx.Done():
			e.drain()
			return e.end(true)
		}
	}
	return e.end(false)
}
