package session

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session/decide"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/plan"
	"hookwatch/suites/process"
	"hookwatch/suites/record"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
	"hookwatch/suites/verdict"
)

// open opens a run.
func (e *Session) open(full bool) {
	now := e.opts.Now()
	e.run = decide.NewRun(fmt.Sprintf("%s-%04x", now.UTC().Format(suites.StampLayout), rand.N(1<<16)), full, now)
	e.knowledge.refreshTools()
	e.equipment.Runner.Forget()
	e.knowledge.Environment.RunID = e.run.ID
	e.knowledge.Environment.Time = now.UTC().Format(suites.TimestampLayout)
}

// begin opens a run of what is selected, or lets the current one grow, and
// starts it.
func (e *Session) begin(ctx context.Context, selected []plan.Selected, full bool) {
	e.lineUp(selected, full)
	e.begun()
	if full {
		e.preflight()
	}
	e.fill(ctx)
}

// lineUp puts what is selected into the queue of the run.
func (e *Session) lineUp(selected []plan.Selected, full bool) {
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
func (e *Session) begun() {
	r := e.run
	e.filing.Begin(record.Run{ID: r.ID, Full: r.Full, Started: r.Started, Agents: e.project.Agents(), Keys: r.Planned(e.project.Every())})
	if !r.Quiet {
		e.opts.View.Handle(notify.RunStarted{RunID: r.ID, Full: r.Full, Cases: r.Of(), Total: len(e.project.Every()), At: notify.Time{Time: r.Started}})
	}
}

// fill starts waiting cases while there are free workers.
func (e *Session) fill(ctx context.Context) {
	if e.paused {
		return
	}
	serial := false
	for _, x := range e.running {
		serial = serial || x.c.Serial
	}
	for _, c := range e.queue.Next(e.equipment.Jobs-len(e.running), len(e.running), serial) {
		e.start(ctx, c)
	}
}

func (e *Session) start(ctx context.Context, c *suites.Case) {
	e.equipment.WarnOfNotes()
	ctx, cancel := context.WithCancel(ctx)
	x := &execution{c: c, runner: e.equipment.Runner, cancel: cancel, seen: e.knowledge.Freshness.See(c)}
	x.digests = e.knowledge.DigestsOf(c, x.seen.Inputs)
	e.running[c.Key()] = x
	e.busy.start(e.opts.Now())
	go func() {
		defer cancel()
		x.do(ctx, e.opts.Now)
		e.results <- x
	}()
}

// keptReady bounds the supervisors that wait for a save: the first cases of a
// selection are what a person waits for.
const keptReady = 2

// Once runs what is selected to its end and tells how it went.
func (e *Session) Once(ctx context.Context, selected []plan.Selected, full bool) Summary {
	e.awaited = true
	e.begin(ctx, selected, full)
	if most := e.equipment.Jobs; e.queue.Len() > 2*most { // fewer are done before it pays
		e.equipment.KeepReady(min(most+1, keptReady))
		defer e.equipment.KeepReady(0)
	}
	backstop := time.NewTimer(e.project.Config.Run.Backstop)
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
			e.abort("backstop: the run took " + e.project.Config.Run.Backstop.String())
		case <-ctx.Done():
			e.drain()
			return e.end(true)
		}
	}
	return e.end(false)
}

// An execution is one case on its way from the queue to its verdict.
type execution struct {
	c       *suites.Case
	runner  *run.Runner // another one may be in force before this one is done
	cancel  context.CancelFunc
	seen    Seen // its inputs when it started
	digests suites.Digests
	stale   bool // superseded: its verdict is about nothing that is there
	outcome suites.Outcome
	err     error
	verdict suites.Verdict // its own, before its control is asked
	whole   bool           // it came to its end: what is asked afterwards only explains
	ended   time.Time
}

// supersede cancels an execution that is about nothing that is there.
func (x *execution) supersede() {
	x.stale = true
	x.cancel()
}

// do runs the case, and then looks at what its tools did.
func (x *execution) do(ctx context.Context, now func() time.Time) {
	x.outcome, x.err = x.runner.Case(ctx, x.c)
	x.whole, x.ended = ctx.Err() == nil, now()
	if x.whole && x.err == nil {
		x.inquire(ctx)
		x.locate(ctx)
	}
}

// A verdict waits while its tools are looked at: for so many times as long as the
// case took, within bounds.
const (
	inquiryTimes = 4
	leastInquiry = 8 * time.Second
	mostInquiry  = 10 * time.Second
)

// inquire looks at what the tools of a failing case did. That it cannot tell is no
// fault of the case, and half of what they did explains nothing.
func (x *execution) inquire(ctx context.Context) {
	suspects := verdict.Suspects(x.c, x.outcome)
	if len(suspects) == 0 {
		return
	}
	ctx, cancel := x.bounded(ctx)
	defer cancel()
	if calls, err := x.runner.Calls(ctx, x.c, suspects); err == nil {
		x.outcome.Calls = calls
	}
}

// locate finds the command by which a failing hook ended, where its exit code alone
// tells of it.
func (x *execution) locate(ctx context.Context) {
	script, exit := verdict.Unexplained(x.c, x.outcome)
	if script == "" {
		return
	}
	ctx, cancel := x.bounded(ctx)
	defer cancel()
	if log, err := x.runner.Log(ctx, x.c, trace.Endings); err == nil {
		x.outcome.Ended = trace.EndingOf(log, script, exit)
	}
}

// bounded limits how long a second run may delay the verdict.
func (x *execution) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, min(max(inquiryTimes*x.outcome.Duration, leastInquiry), mostInquiry))
}

// judge gives an execution its own verdict.
func (x *execution) judge(timeout time.Duration) {
	if why := machineFault(x.err); why != nil {
		x.verdict = suites.NewVerdict(suites.Aborted, "", why.Error())
	} else if x.err != nil {
		x.verdict = suites.Verdict{Status: suites.Fail, Note: x.err.Error(), Mismatches: []suites.Mismatch{{Kind: suites.InStart, Field: string(suites.InStart), Got: x.err.Error()}}}
	} else {
		x.verdict = verdict.Judge(x.c, x.outcome, timeout)
	}
}

// machineFault returns why the machine did not let a case run: isolation cannot be
// had, or something ran short. It is nil for an error that the case is to blame for.
func machineFault(err error) error {
	if err == nil {
		return nil
	}
	var unavailable *sandbox.UnavailableError
	why := sandbox.Explained(err)
	if errors.As(why, &unavailable) || process.Shortage(why) != nil {
		return why
	}
	return nil
}

// clientWould is, in words, what the client makes of a step.
func clientWould(o suites.Outcome, step int) string {
	if step >= len(o.Results) || o.Finding != nil {
		return ""
	}
	r := o.Results[step]
	return string(r.Effect) + ": " + r.EffectReason
}

func hookTime(o suites.Outcome) (d time.Duration) {
	for _, r := range o.Results {
		d += r.Duration
	}
	return d
}

// preflight lets a full run begin with what it requires. Where suites check
// that, all else waits behind them.
func (e *Session) preflight() {
	tools, checks := e.project.Requirements()
	if len(checks) == 0 {
		e.passes(decide.Absent(e.equipment.Tools.Find(tools)), false)
		return
	}
	for _, c := range e.queue.Clear() {
		if c.Check == nil {
			e.run.Behind = append(e.run.Behind, c)
		} else {
			e.enqueue(c)
		}
	}
}

// passPreflight lets what waits go on once the required checks hold, or else
// ends the run when the other checks are done, too.
func (e *Session) passPreflight() {
	if len(e.run.Behind) == 0 {
		return
	}
	tools, checks := e.project.Requirements()
	if slices.ContainsFunc(checks, func(c *suites.Case) bool { return e.pending(c.Key()) }) {
		return
	}
	if !e.passes(e.run.Lack(checks, e.equipment.Tools.Find(tools)), e.underway()) {
		return
	}
	behind := e.run.Behind
	e.run.Behind = nil
	for _, c := range behind {
		e.enqueue(c)
	}
}

// passes carries out what a lack means for the run, and reports whether it goes on.
func (e *Session) passes(l decide.Lack, underway bool) bool {
	switch l.Action(e.project.Config.Preflight.Policy == config.PreflightReport, underway) {
	case decide.Warn:
		e.warn(l.Warning())
	case decide.Wait:
		return false
	case decide.Abort:
		e.run.Missing = l.Missing
		e.abort(l.Why)
		return false
	case decide.Proceed:
	}
	return true
}
