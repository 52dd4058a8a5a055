package engine

import (
	"context"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/plan"
)

func (w *watch) command(ctx context.Context, c Command) {
	switch c := c.(type) {
	case Show:
		w.o.View.Handle(c.Event)
		if c.Done != nil {
			close(c.Done)
		}
	case Typed:
		w.o.View.Handle(notify.Typing{By: c.By, Pattern: c.Pattern, Cases: len(w.matching(c.Lets))})
	case Failures:
		var keys []suites.Key
		for _, failed := range w.known.Verdicts.Failed(w.p.Cases) {
			keys = append(keys, failed.Key())
		}
		w.o.View.Handle(notify.Look{Failed: keys, By: c.By})
	case Halt:
		w.halt(ctx, c)
	case Matching:
		w.asked(ctx, plan.All(w.matching(c), "it matches"))
	case Deed:
		w.do(ctx, c)
	}
}

func (w *watch) do(ctx context.Context, d Deed) {
	switch d {
	case RunAll:
		w.asked(ctx, plan.All(w.p.Cases, "asked for all"))
	case RunFailed:
		w.asked(ctx, plan.All(w.known.Verdicts.Failed(w.p.Cases), "it failed"))
	case RunAgain:
		w.asked(ctx, plan.All(w.p.FindAll(w.last), "asked for again"))
	case Cancel:
		w.cancel()
	case Quit: // the loop's own
	}
}

// matching are the cases that a filter lets through.
func (w *watch) matching(lets Matching) (out []*suites.Case) {
	for _, c := range w.p.Cases {
		if lets(c) {
			out = append(out, c)
		}
	}
	return out
}

// asked runs what a person asked for.
func (w *watch) asked(ctx context.Context, selected []plan.Selected) {
	switch {
	case w.paused:
		w.warnf("%s is gone: nothing can be run", w.p.Root())
	case len(selected) == 0:
		w.warn("no case to run")
	default:
		w.idle.stop()
		w.begin(ctx, plan.WithControls(selected, w.p.Every()), false)
	}
}

// cancel ends the run where it stands. What it did not come to is as stale as it was,
// and runs with the next save or when asked for.
func (w *watch) cancel() {
	if w.run == nil {
		return
	}
	for _, x := range w.running {
		x.cancel()
	}
	w.drain()
	w.run.Quiet = false
	w.run.Aborted = "cancelled: what did not run does so with the next save, or by Enter"
	w.lastRun = w.end(true).RunID
	w.rest.Rest()
	w.o.View.Handle(notify.Rested{})
}

// halt lets nothing run while the program is stopped.
func (w *watch) halt(ctx context.Context, h Halt) {
	w.idle.stop()
	for _, x := range w.running {
		x.supersede()
	}
	for len(w.running) > 0 {
		w.finish(ctx, <-w.results)
	}
	w.o.View.Handle(notify.Lent{})
	close(h.Still)
	select {
	case <-h.Go:
	case <-ctx.Done():
	}
	w.o.View.Handle(notify.Returned{})
}
