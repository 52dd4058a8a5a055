package engine

import (
	"context"
	"fmt"
	"math/rand/v2"

	"hookwatch/cmd/internal/engine/decide"
	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/record"
)

// open opens a run.
func (e *Engine) open(full bool) {
	now := e.o.Now()
	e.run = decide.NewRun(fmt.Sprintf("%s-%04x", now.UTC().Format(suites.StampLayout), rand.N(1<<16)), full, now)
	e.known.LookAnew()
	e.with.Runner.Forget()
	e.known.Environment.RunID = e.run.ID
	e.known.Environment.Time = now.UTC().Format(suites.TimestampLayout)
}

// begin opens a run of what is selected, or lets the current one grow, and
// starts it.
func (e *Engine) begin(ctx context.Context, selected []plan.Selected, full bool) {
	e.lineUp(selected, full)
	e.begun()
	if full {
		e.preflight()
	}
	e.fill(ctx)
}

// lineUp puts what is selected into the queue of the run.
func (e *Engine) lineUp(selected []plan.Selected, full bool) {
	if e.run == nil {
		e.open(full)
	}
	if !e.run.Quiet {
		e.last = nil
	}
	for _, sel := range selected {
		k := sel.Case.Key()
		if !e.run.Quiet {
			e.last = append(e.last, k)
		}
		e.run.Plan(k)
		if x := e.running[k]; x != nil {
			x.supersede()
			continue // finish puts it back into the queue
		}
		delete(e.held, k)
		e.enqueue(sel.Case)
	}
}

// begun tells of the run: the store, before any verdict, and the person.
func (e *Engine) begun() {
	r := e.run
	e.filing.Begin(record.Run{ID: r.ID, Full: r.Full, Started: r.Started, Agents: e.p.Agents(), Keys: r.Planned(e.p.Every())})
	if !r.Quiet {
		e.o.View.Handle(notify.RunStarted{RunID: r.ID, Full: r.Full, Cases: r.Of(), Total: len(e.p.Every()), At: r.Started})
	}
}

// fill starts waiting cases while there are free workers.
func (e *Engine) fill(ctx context.Context) {
	if e.paused {
		return
	}
	serial := false
	for _, x := range e.running {
		serial = serial || x.c.Serial
	}
	for _, c := range e.queue.Next(e.with.Jobs-len(e.running), len(e.running), serial) {
		e.start(ctx, c)
	}
}

func (e *Engine) start(ctx context.Context, c *suites.Case) {
	e.with.TellNotes()
	ctx, cancel := context.WithCancel(ctx)
	x := &execution{c: c, runner: e.with.Runner, cancel: cancel, seen: e.known.Freshness.See(c)}
	x.digests = e.known.DigestsOf(c, x.seen.Inputs)
	e.running[c.Key()] = x
	e.busy.start(e.o.Now())
	go func() {
		defer cancel()
		x.do(ctx, e.o.Now)
		e.results <- x
	}()
}
