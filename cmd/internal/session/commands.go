package session

import (
	"context"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// A Command is a request from the user at the keyboard to a watching session.
type Command interface{ command() }

// A Deed is a command without parameters.
type Deed int

// The deeds.
const (
	RunAll Deed = iota + 1
	RunFailed
	RunAgain // the last selection
	Cancel   // the run in progress
	Prove    // the guard saved last
	Quit
)

// Matching runs the cases for which it returns true.
type Matching func(c *suites.Case) bool

// A Show sends the view an event made from the present cases and the failing ones. Done, if not
// nil, is closed after the view has handled it.
type Show struct {
	Event func(cases, failed []*suites.Case) Event
	Done  chan<- struct{}
}

// A Halt stops all cases from when Still is closed until Go is, because the program is about to
// be suspended while the timeouts of running cases would continue.
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
		w.asked(ctx, verdict.All(matching, "it matches"))
	case Deed:
		w.do(ctx, c)
	}
}

func (w *watch) do(ctx context.Context, d Deed) {
	switch d {
	case RunAll:
		w.asked(ctx, verdict.All(w.project.Cases, "asked for all"))
	case RunFailed:
		w.asked(ctx, verdict.All(w.knowledge.Verdicts.Failed(w.project.Cases), "it failed"))
	case RunAgain:
		w.asked(ctx, verdict.All(w.project.FindAll(w.last), "asked for again"))
	case Prove:
		w.proofs.asked = true
		w.idle.stop()
		w.whileIdle(ctx)
	case Cancel:
		w.cancel()
	case Quit: // handled by the loop
	}
}

// asked runs the cases that the user requested.
func (w *watch) asked(ctx context.Context, selected []verdict.Selected) {
	switch {
	case w.paused:
		w.warnf("%s is gone: nothing can be run", w.project.Root())
	case len(selected) == 0:
		w.warn("no case to run")
	default:
		w.idle.stop()
		w.begin(ctx, verdict.WithControls(selected, w.project.Every()), false)
	}
}

// cancel ends the run. Cases that did not run remain stale, and run with the next save or when
// requested.
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
	w.opts.View.Handle(Rested{})
}

// halt keeps all cases from running while the program is suspended.
func (w *watch) halt(ctx context.Context, h Halt) {
	w.idle.stop()
	for _, x := range w.running {
		x.supersede()
	}
	for len(w.running) > 0 {
		w.finish(ctx, <-w.results)
	}
	w.opts.View.Handle(Lent{})
	close(h.Still)
	select {
	case <-h.Go:
	case <-ctx.Done():
	}
	w.opts.View.Handle(Returned{})
}
