package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/process"
	"hookwatch/suites/record"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
	"hookwatch/suites/verdict"
)

// open starts a new run.
func (e *Session) open(full bool) {
	now := e.opts.Now()
	e.second.Reset(time.Second)
	e.places = &places{alike: make(map[string]int)}
	e.run = newRun(fmt.Sprintf("%s-%04x", now.UTC().Format(suites.StampLayout), rand.N(1<<16)), full, now)
	e.knowledge.refreshTools()
	e.equipment.Runner.Forget()
	e.knowledge.Environment.RunID = e.run.ID
	e.knowledge.Environment.Time = now.UTC().Format(suites.TimestampLayout)
}

// begin adds the selected cases to the current run, or to a new one, and starts them.
func (e *Session) begin(ctx context.Context, selected []verdict.Selected, full bool) {
	e.enqueueAll(selected, full)
	e.announceRun()
	if full {
		e.preflight()
	}
	e.fill(ctx)
}

// enqueueAll adds the selected cases to the queue of the run.
func (e *Session) enqueueAll(selected []verdict.Selected, full bool) {
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
		if e.pending(k) {
			e.unseen[k]++
		}
		if x := e.running[k]; x != nil {
			e.supersede(x)
			continue // finish puts it back into the queue
		}
		delete(e.held, k)
		e.enqueue(sel.Case)
	}
}

// announceRun announces the run: to the store before any verdict, and to the view.
func (e *Session) announceRun() {
	r := e.run
	e.filing.Begin(record.Run{ID: r.ID, Full: r.Full, Started: r.Started, Agents: e.project.Agents(), Keys: r.PlannedKeys(e.project.Every())})
	if !r.Quiet {
		e.opts.View.Handle(RunStarted{RunID: r.ID, Full: r.Full, Cases: r.Of(), Total: len(e.project.Every()), At: Time{Time: r.Started}})
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
	e.knowledge.Selector.Starting(c, e.knowledge.Digests(c))
	ctx, cancel := context.WithCancel(ctx)
	x := &execution{c: c, runner: e.equipment.Runner, cancel: cancel, bound: e.bound, seen: e.knowledge.Tracker.See(c), began: time.Now(), places: e.places}
	x.digests = e.knowledge.DigestsOf(c, x.seen.Inputs)
	e.running[c.Key()] = x
	e.busy.start(e.opts.Now())
	go func() {
		defer cancel()
		x.do(ctx, e.opts.Now)
		e.results <- x
	}()
}

// keptReady limits the supervisors that are started ahead of a save, because the user waits only
// for the first cases of a selection.
const keptReady = 2

// RunOnce runs the selected cases to the end and returns a summary.
func (e *Session) RunOnce(ctx context.Context, selected []verdict.Selected, full bool) Summary {
	e.awaited = true
	e.begin(ctx, selected, full)
	if most := e.equipment.Jobs; e.queue.Len() > 2*most { // prestarting takes longer than a few cases
		e.equipment.KeepReady(min(most+1, keptReady))
		defer e.equipment.KeepReady(0)
	}
	backstop := e.opts.After(e.project.Config.Run.Backstop)
	for e.underway() {
		e.fill(ctx)
		select {
		case <-e.second.C:
			e.showRunning()
		case x := <-e.results:
			delete(e.running, x.c.Key())
			e.fill(ctx) // starts the next case before this one is judged
			e.finish(ctx, x)
			e.passPreflight()
		case <-backstop:
			e.abort("backstop: the run took " + e.project.Config.Run.Backstop.String())
		case <-ctx.Done():
			e.opts.Closing()
			e.drain()
			return e.end(true)
		}
	}
	return e.end(false)
}

// showRunning tells the view which cases are being executed.
func (e *Session) showRunning() {
	if e.run == nil || e.run.Quiet {
		return
	}
	r := Running{Done: e.run.Done(), Of: e.run.Of()}
	now := time.Now()
	for k, x := range e.running {
		r.Cases = append(r.Cases, RunningCase{k.ID, now.Sub(x.began)})
	}
	slices.SortFunc(r.Cases, func(a, b RunningCase) int { return cmp.Or(cmp.Compare(b.For, a.For), cmp.Compare(a.ID, b.ID)) })
	e.opts.View.Handle(r)
}

// An execution is one run of a case, from the queue to its verdict.
type execution struct {
	c       *suites.Case
	runner  *run.Runner // the session may use another one before this execution ends
	cancel  context.CancelFunc
	bound   bound      // of the second run
	seen    CaseInputs // its inputs when it started
	digests suites.Digests
	stale   bool // superseded: the verdict would be about outdated content
	earlier bool // it may end although its files were saved again: the verdict is about an earlier save
	outcome suites.Outcome
	err     error
	verdict suites.Verdict  // its own, before the control is considered
	fault   suites.Position // the line of a script that made it fail; zero if unknown
	whole   bool            // it ran to the end; later steps only explain the result
	ended   time.Time
	places  *places
	began   time.Time // by the clock of the file system's times
}

// supersede cancels an execution whose content is outdated.
func (x *execution) supersede() {
	x.stale = true
	x.cancel()
}

// allow lets an execution end although its content is outdated, if that does not take long.
func (x *execution) allow(most time.Duration) {
	if !x.earlier {
		x.earlier = true
		time.AfterFunc(most, x.cancel)
	}
}

// do runs the case, and then explains a failure from a second run if needed.
func (x *execution) do(ctx context.Context, now func() time.Time) {
	x.outcome, x.err = x.runner.Case(ctx, x.c)
	x.whole, x.ended = ctx.Err() == nil, now()
	if x.whole && x.err == nil {
		x.inquire(ctx)
		x.locate(ctx)
		x.place(ctx)
	}
}

// place finds the line of a script that made the case fail, unless a second run would delay the verdict
// much, or the result of an earlier step has to be there.
func (x *execution) place(ctx context.Context) {
	const most = 3 * time.Second
	o := x.outcome
	if o.NotRun != nil || o.Finding != nil || x.c.Layer == suites.Live || len(x.c.Steps) != 1 || len(o.Results) != 1 {
		return
	}
	res := o.Results[0]
	v := verdict.Judge(x.c, o, 0)
	if silent := res.Exit == 0 && len(res.Stdout) == 0; silent || v.Status != suites.Fail || len(v.Mismatches) == 0 {
		return
	}
	if x.fault = trace.ReportedIn(string(res.Stderr), sourceOf(x.runner, nil)); x.fault.Line > 0 || o.Duration > most && !res.TimedOut {
		return
	}
	first := v.Mismatches[0]
	n := x.places.take(fmt.Sprint(cmp.Or(x.c.Hook, x.c.Registered), first.Field, first.Got, first.Want))
	if n > placedAtMost || res.TimedOut && n > 1 {
		return
	}
	ctx, cancel := x.bound(ctx, o.Duration)
	defer cancel()
	x.fault = PlaceOf(ctx, x.runner, x.runner.Make, x.c, res, nil)
}

// A bound limits the second run that explains a failure of a case which took some time, because
// it delays the verdict.
type bound func(ctx context.Context, took time.Duration) (context.Context, context.CancelFunc)

// boundInquiry is the bound by time.
func boundInquiry(ctx context.Context, took time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, min(max(4*took, 8*time.Second), 10*time.Second))
}

// inquire traces the tool calls of a failing case. An error is ignored because it is not the
// fault of the case, and incomplete calls would explain nothing.
func (x *execution) inquire(ctx context.Context) {
	suspects := verdict.Suspects(x.c, x.outcome)
	if len(suspects) == 0 {
		return
	}
	ctx, cancel := x.bound(ctx, x.outcome.Duration)
	defer cancel()
	if calls, err := x.runner.Calls(ctx, x.c, suspects); err == nil {
		x.outcome.Calls = calls
	}
}

// locate finds the command that ended a failing hook, if the exit code is the only evidence.
func (x *execution) locate(ctx context.Context) {
	script, exit := verdict.FindUnexplained(x.c, x.outcome)
	if script == "" {
		return
	}
	ctx, cancel := x.bound(ctx, x.outcome.Duration)
	defer cancel()
	if log, err := x.runner.Make(ctx, suites.Request{Case: x.c, Trace: trace.StartErrTrap}); err == nil {
		x.outcome.Ended = trace.EndingOf(log.Trace, script, exit)
	}
}

// judge sets the execution's own verdict.
func (x *execution) judge(timeout time.Duration) {
	if why := machineFault(x.err); why != nil {
		x.verdict = suites.NewVerdict(suites.Aborted, "", why.Error())
	} else if x.err != nil {
		x.verdict = suites.Verdict{Status: suites.Fail, Note: x.err.Error(), Mismatches: []suites.Mismatch{{Kind: suites.InStart, Field: string(suites.InStart), Got: x.err.Error()}}}
	} else {
		x.verdict = verdict.Judge(x.c, x.outcome, timeout)
	}
}

// machineFault returns the part of err that the machine causes: isolation is unavailable or a
// resource ran short. It returns nil if the case itself is at fault.
func machineFault(err error) error {
	if err == nil {
		return nil
	}
	var unavailable *sandbox.UnavailableError
	why := sandbox.Explain(err)
	if errors.As(why, &unavailable) || process.Shortage(why) != nil {
		return why
	}
	return nil
}

// clientWould describes the client's reaction to a step, or returns "" if it is unknown.
func clientWould(o suites.Outcome, step int) string {
	if step >= len(o.Results) || o.Finding != nil {
		return ""
	}
	r := o.Results[step]
	return string(r.Effect) + ": " + r.EffectReason
}

// remedyOf returns what to do about the client's reaction to a step, or "".
func remedyOf(c *suites.Case, o suites.Outcome, step int) string {
	if step >= len(o.Results) || o.Results[step].EffectRule == "" {
		return ""
	}
	about, known := client.EventByName(c.Steps[step].Event)
	if !known {
		return ""
	}
	return client.RuleAt(o.Results[step].EffectRule, about).Remedy
}

func hookTime(o suites.Outcome) (d time.Duration) {
	for _, r := range o.Results {
		d += r.Duration
	}
	return d
}

// preflight checks the requirements of a full run. If suites have cases that check them, all
// other cases wait in run.Behind until these have run.
func (e *Session) preflight() {
	tools, checks := e.project.Requirements()
	if len(checks) == 0 {
		e.passes(absentTools(e.equipment.Tools.Find(tools)), false)
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

// passPreflight queues the waiting cases once the required checks pass; otherwise it aborts the
// run after the other checks are done.
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

// passes applies the configured policy to a lack, and reports whether the run continues.
func (e *Session) passes(l lack, underway bool) bool {
	switch l.Action(e.project.Config.Preflight.Policy == config.PreflightReport, underway) {
	case lackWarn:
		e.warn(l.Warning())
	case lackWait:
		return false
	case lackAbort:
		e.run.Missing = l.Missing
		e.abort(l.Why)
		return false
	case lackProceed:
	}
	return true
}
