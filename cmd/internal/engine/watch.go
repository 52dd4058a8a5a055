package engine

import (
	"context"
	"time"

	"hookwatch/cmd/internal/engine/decide"
	"hookwatch/suites"
	"hookwatch/suites/plan"
)

// Watch runs what is stale, then follows saves until the context ends or a
// person quits. Records of cases that were running then are not kept.
func (e *Engine) Watch(ctx context.Context, in WatchOptions) Summary {
	w := &watch{
		Engine: e, in: in, settled: time.NewTimer(time.Hour),
		rest: decide.NewAtRest(), idle: idling{done: make(chan *tracedRun)},
	}
	w.settled.Stop()
	defer w.settled.Stop()
	e.with.KeepReady(min(e.with.Jobs, keptReady))
	defer w.leave()
	w.idle.lack(e.p.Every())
	e.ran = func(c *suites.Case) { w.idle.lack([]*suites.Case{c}) }
	selected := w.selectStale(ctx)
	in.Started.Watched = in.Watcher.Files()
	e.o.View.Handle(in.Started)
	w.begin(ctx, selected, false)
	if e.run == nil {
		w.waitToSettle()
	}
	for {
		if e.run != nil && !e.underway() {
			w.ended()
		}
		if e.run != nil {
			e.fill(ctx)
		}
		select {
		case x := <-e.results:
			e.finish(ctx, x)
		case b := <-in.Watcher.Batches():
			w.changed(ctx, b)
		case text := <-in.Notes:
			e.warn(text)
		case c := <-in.Commands:
			if c == Quit {
				return w.stop()
			}
			w.command(ctx, c)
		case <-w.settled.C:
			w.tell(ctx)
		case t := <-w.idle.done:
			w.idled(ctx, t)
		case t := <-w.idle.trial:
			w.tried(ctx, t)
		case <-ctx.Done():
			return w.stop()
		}
	}
}

// ended closes the run, and lets its news settle.
func (w *watch) ended() {
	w.with.Runner.CancelPrewarm()
	sum := w.end(false)
	w.lastRun = sum.RunID
	w.rest.Rest()
	w.waitToSettle()
}

// tell says what is new, once nothing changes any more; a failure that was seen
// only once is reproduced first.
func (w *watch) tell(ctx context.Context) {
	if w.run != nil || w.paused {
		return // its end starts the wait anew
	}
	if w.known.Freshness.Recheck() || w.known.Freshness.Noticed() {
		w.begin(ctx, w.selectStale(ctx), true)
		if w.run != nil {
			return
		}
	}
	if again := decide.Reproduce(w.p.FindAll(w.news.Unconfirmed()), w.again); len(again) > 0 {
		w.again = true
		w.begin(ctx, plan.WithControls(plan.All(again, "its failure is reproduced"), w.p.Every()), true)
		return
	}
	w.announce(w.lastRun, w.again)
	w.again = false
	if selected := w.auditSome(); len(selected) > 0 {
		w.begin(ctx, selected, true)
		return
	}
	w.whileIdle(ctx)
}

func (w *watch) stop() Summary {
	if w.run == nil {
		return Summary{RecordError: w.filing.Err()}
	}
	for _, x := range w.running {
		x.cancel()
	}
	w.drain()
	return w.end(true)
}
