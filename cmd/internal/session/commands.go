package session

import (
	"context"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/plan"
)

// A Command is what a person at the keyboard asks of a watching engine.
type Command interface{ command() }

// A Deed is a command that needs no more than its name.
type Deed int

// The deeds.
const (
	RunAll Deed = iota + 1
	RunFailed
	RunAgain // the last selection
	Cancel   // the run in progress
	Quit
)

// Matching runs the cases that it lets through.
type Matching func(c *suites.Case) bool

// A Show hands the view an event that is made of the present cases and of those that
// fail. Done, if there is one, is closed once the view has handled it.
type Show struct {
	Event func(cases, failed []*suites.Case) notify.Event
	Done  chan<- struct{}
}

// A Halt lets nothing run from when Still is closed until Go is: the program is about
// to be stopped, and the time that a case is given would run on.
type Halt struct {
	Still chan<- struct{}
	Go    <-chan struct{}
}

func (Deed) command()     {}
func (Matching) command() {}
func (Show) command()     {}
func (Halt) command()     {}

func (w *watch) command(ctx context.Context, c Command) {
	switch c := c.(type) {
	case Show:
		w.opts.View.Handle(c.Event(w.project.Cases, w.knowledge.Verdicts.Failed(w.project.Cases)))
		if c.Done != nil {
			close(c.Done)
		}
	case Halt:
		w.halt(ctx, c)
	case Matching:
		var matching []*suites.Case
		for _, one := range w.project.Cases {
			if c(one) {
				matching = append(matching, one)
			}
		}
		w.asked(ctx, plan.All(matching, "it matches"))
	case Deed:
		w.do(ctx, c)
	}
}

func (w *watch) do(ctx context.Context, d Deed) {
	switch d {
	case RunAll:
		w.asked(ctx, plan.All(w.project.Cases, "asked for all"))
	case RunFailed:
		w.asked(ctx, plan.All(w.knowledge.Verdicts.Failed(w.project.Cases), "it failed"))
	case RunAgain:
		w.asked(ctx, plan.All(w.project.FindAll(w.last), "asked for again"))
	case Cancel:
		w.cancel()
	case Quit: // the loop's own
	}
}

// asked runs what a person asked for.
func (w *watch) asked(ctx context.Context, selected []plan.Selected) {
	switch {
	case w.paused:
		w.warnf("%s is gone: nothing can be run", w.project.Root())
	case len(selected) == 0:
		w.warn("no case to run")
	default:
		w.idle.stop()
		w.begin(ctx, plan.WithControls(selected, w.project.Every()), false)
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
	w.opts.View.Handle(notify.Rested{})
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
	w.opts.View.Handle(notify.Lent{})
	close(h.Still)
	select {
	case <-h.Go:
	case <-ctx.Done():
	}
	w.opts.View.Handle(notify.Returned{})
}
