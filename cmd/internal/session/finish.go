package session

import (
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// finish handles a finished case: it queues the case again if its inputs have changed, and judges
// it otherwise. A case that was cut short because the session ends gets no verdict.
func (e *Session) finish(ctx context.Context, x *execution) {
	delete(e.running, x.c.Key())
	e.busy.stop(e.opts.Now())
	e.run.Cut = e.run.Cut || ctx.Err() != nil
	if e.run.Cut && !x.whole {
		e.discard(x)
		return
	}
	if e.requeue(x) {
		e.discard(x)
	} else {
		e.judge(x)
	}
	e.settle()
}

// requeue queues a case again if its inputs have changed since it started, or drops it if it no
// longer exists. It reports false if the case can be judged.
func (e *Session) requeue(x *execution) bool {
	k := x.c.Key()
	var changed []string
	x.stale = x.stale || x.earlier && !x.whole || !e.awaited && e.project.IsGone() // Once ends with the results it has
	if x.earlier && !x.stale {
		return false
	}
	if !x.stale {
		if changed = e.knowledge.Tracker.ChangedFiles(x.seen); len(changed) == 0 {
			e.knowledge.Tracker.Settle(x.seen)
		}
		e.touch(changed)
	}
	c := e.project.Find(k)
	switch e.run.Next(k, x.stale, len(changed) > 0, c != nil) {
	case verdict.Again:
		e.enqueue(c)
	case verdict.Drop:
		e.drop(k)
	case verdict.Conclude:
		return false
	}
	return true
}

// touch records that files changed while cases that depend on them ran.
func (e *Session) touch(paths []string) {
	for _, path := range e.knowledge.Tracker.Touch(paths, e.project.Matters) {
		e.warnf("%s changes whenever cases run: it is treated as written by the hooks, and selects nothing until hookwatch is restarted", path)
	}
}

// judge sets the execution's own verdict, and holds it until its control has one.
func (e *Session) judge(x *execution) {
	x.judge(e.timeout(x.c))
	if fault := machineFault(x.err); fault != nil && e.run.Fault == nil {
		e.run.Fault = fault
	}
	k := x.c.Key()
	if x.earlier {
		e.judgeEarlier(x)
		return
	}
	e.run.Judge(k, x.verdict)
	e.held[k] = x
}

// judgeEarlier concludes an execution whose files were saved again while it ran, and queues the case for
// the current ones. The inputs of its verdict count as unknown, because the hook may have read some of
// them before and some after the save: it is shown and recorded, but never taken for the verdict of a
// content, and is no news. Its control is judged likewise.
func (e *Session) judgeEarlier(x *execution) {
	k := x.c.Key()
	e.earlier[k] = x.verdict
	x.digests.Inputs = ""
	v := x.verdict
	if control, has := verdict.ControlOf(x.c); has && v.Status == suites.Pass {
		own, judged := e.earlier[control]
		if !judged {
			own = suites.Verdict{Status: suites.Fail, Note: "has no verdict yet"}
		}
		v = verdict.Prove(v, control, own)
	}
	const remark = "of an earlier save: its files were saved again while it ran"
	v.Note, v.Remarks = strings.TrimPrefix(v.Note+"; "+remark, "; "), append(slices.Clip(v.Remarks), remark)
	e.conclude(x, v)
	if c := e.project.Find(k); c != nil {
		e.enqueue(c)
	}
}

func (e *Session) timeout(c *suites.Case) time.Duration {
	if c.Timeout > 0 {
		return c.Timeout
	}
	return e.project.Config.Run.Timeout
}

// settle concludes every held case whose control has a verdict.
func (e *Session) settle() {
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

// abort ends the run early: every case without a verdict gets Aborted with the reason.
func (e *Session) abort(why string) {
	e.run.Aborted = why
	waiting := append(e.queue.Clear(), e.run.Behind...)
	e.run.Behind = nil
	for _, x := range e.running {
		x.cancel()
	}
	for _, x := range e.cutShort() {
		waiting = append(waiting, x.c)
	}
	slices.SortFunc(waiting, func(a, b *suites.Case) int { return e.project.Order(a.Key()) - e.project.Order(b.Key()) })
	for _, c := range waiting {
		x := &execution{c: c, ended: e.opts.Now()}
		x.seen.Inputs = e.project.Graph.Inputs(c)
		x.digests = e.knowledge.DigestsOf(c, x.seen.Inputs)
		e.conclude(x, suites.NewVerdict(suites.Aborted, "", why))
	}
}

// drain waits for the running cases after their context has ended.
func (e *Session) drain() {
	e.queue.Clear()
	e.cutShort()
}

// cutShort waits for the cancelled running cases and returns the cases without a verdict. A case
// that had run to the end keeps its verdict, because only its explanation was still running.
func (e *Session) cutShort() (without []*execution) {
	e.run.Cut = true
	for len(e.running) > 0 {
		x := <-e.results
		delete(e.running, x.c.Key())
		e.busy.stop(e.opts.Now())
		if x.whole && !x.stale && len(e.knowledge.Tracker.ChangedFiles(x.seen)) == 0 {
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

// conclude records a verdict before announcing it. The sandbox is put away last, because the user
// waits for the verdict.
func (e *Session) conclude(x *execution, v suites.Verdict) {
	k := x.c.Key()
	r := newRecord(recordValues{
		Case: x.c, Outcome: x.outcome, Verdict: v, Digests: x.digests, Ended: x.ended,
		Run: e.run.ID, Isolation: e.equipment.IsolationOf(x.c),
	})
	before, previous := e.knowledge.Verdicts.Baseline(k, r.Digests.Case), e.knowledge.Verdicts.Present(k)
	transition := e.transition(before, previous.HasResult(), r)
	var tools []string
	if transition == Explained {
		tools = e.knowledge.Explaining(k, before.Digests.Tools, r.Digests.Tools)
	}
	e.keep(x, r, transition)
	done := CaseDone{
		RunID: r.RunID, Record: r, Verdict: v, Transition: transition,
		At: x.c.At.String(), Defined: x.c.At, Script: cmp.Or(x.c.Steps[shownStep(x.c, v)].Hook, x.c.Hook), Rerun: e.opts.Rerun(k), Sandbox: e.keptSandboxes().At(x.c, x.outcome, v),
		Done: e.run.Done(), Of: e.run.Of(), Tools: tools, Order: e.project.Order(k),
	}
	if previous != nil {
		done.Since.Time, _ = time.Parse(suites.TimestampLayout, previous.At)
	}
	if v.Status == suites.Fail {
		step := shownStep(x.c, v)
		done.Fault, done.FaultAt = x.fault.String(), x.fault
		done.Effect, done.Remedy = clientWould(x.outcome, step), remedyOf(x.c, x.outcome, step)
		st := &x.c.Steps[step]
		if h, ok := e.project.Registered.Find(st.Event, x.c.Registered, st.Matched()); ok && x.c.Registered != "" {
			done.Registered = h.Source.String()
			done.Remedy = cmp.Or(e.project.missingScripts(h), done.Remedy)
		}
	}
	e.run.HookTime += hookTime(x.outcome)
	e.show(done, previous)
	e.putAway(x, done.Sandbox, previous != nil && !previous.Status.OK())
}

// transition returns how a record differs from the verdict it is compared with.
func (e *Session) transition(before *keptVerdict, seen bool, r suites.Record) Transition {
	explain := func(was, is string) bool {
		// Generated cases are not explained: without a suite it is unknown whether a hook may
		// need a tool, and if that tool is missing the hook may let through the calls it used to
		// stop.
		return !r.Key().IsGenerated() && len(e.knowledge.Explaining(r.Key(), was, is)) > 0
	}
	switch transition(before, seen, e.first, r, explain) {
	case verdict.Added:
		return First
	case verdict.Regression:
		return Regression
	case verdict.Resolved:
		return Resolved
	case verdict.Explained:
		return Explained
	case verdict.Edited:
		return Edited
	default:
		return Same
	}
}

// keep records a verdict and updates all state derived from it.
func (e *Session) keep(x *execution, r suites.Record, transition Transition) {
	k := x.c.Key()
	e.filing.Append(r)
	if x.earlier { // the verdict of before is still the one to compare with
		e.rounds[k]++
		return
	}
	delete(e.unseen, k)
	e.news.Observe(&r, transition == Regression)
	kept := keptVerdictOf(&r)
	kept.Began = x.began.UnixNano()
	e.knowledge.Verdicts.Put(k, &kept)
	if r.Status() != suites.Aborted {
		e.knowledge.Selector.Conclude(k, r.Digests)
	}
	e.ran(x.c)
	e.checkAudited(k, &r)
	e.knowledge.Tracker.End(k, x.ended, x.seen)
	e.run.Add(r)
}

// checkAudited compares the verdict of an audited case, which the selection had left out, with
// the verdict it was expected to keep.
func (e *Session) checkAudited(k suites.Key, r *suites.Record) {
	if widen, warning := e.audit.Check(k, r); warning != "" {
		e.knowledge.Selector.Widen(k, r.Digests, e.knowledge.Inputs(r.Digests.Inputs), widen)
		e.warn(warning)
	}
}

// show sends a verdict to the view, unless the run is quiet.
func (e *Session) show(done CaseDone, previous *keptVerdict) {
	show, flaky := shownInRun(e.run.Quiet, previous, done.Record.Status())
	if flaky {
		e.run.Quiet = false // the run is visible from here on
		e.warnf("%s %s is flaky: %s, then %s on the same content",
			done.Record.ID, done.Record.TestName, previous.Status, done.Record.Status())
	}
	if show {
		e.opts.View.Handle(done)
	}
}

// putAway keeps the sandbox of a failing case at a path. If at is "" it removes the sandbox, and
// the kept one of an earlier failure.
func (e *Session) putAway(x *execution, at string, failedBefore bool) {
	if at == "" {
		e.discard(x)
		if failedBefore {
			e.keptSandboxes().Drop(x.c)
		}
	} else if err := e.keptSandboxes().Take(func(to string) error { return x.runner.Keep(x.outcome, to) }, at); err != nil {
		e.warnf("the sandbox of %s is not kept, or others that are too many: %v", x.c.Key(), err)
	}
}

func (e *Session) discard(x *execution) {
	if x.runner == nil { // it never ran
		return
	}
	if err := x.runner.Remove(x.outcome); err != nil {
		e.warn("sandbox not removed: " + err.Error())
	}
}

// A Summary is the result of a run.
type Summary struct {
	RunID       string
	Tally       suites.Tally // of the run
	Present     suites.Tally // of the cases that the filter selects, including cases that did not run
	Aborted     string
	Missing     []string // required tools whose absence aborted the run
	Fault       error    // why the machine could not run a case, or nil
	Interrupted bool
	RecordError error
}

// end closes the current run: it files the records, archives a full run and compares it with the
// previous one, and returns the summary.
func (e *Session) end(interrupted bool) Summary {
	r := e.run
	e.run, e.first = nil, false
	e.second.Stop()
	clear(e.earlier)
	clear(e.rounds)
	clear(e.unseen)
	if r.Fault != nil && r.Aborted == "" {
		r.Aborted = r.Fault.Error()
	}
	sum := Summary{RunID: r.ID, Aborted: r.Aborted, Missing: r.Missing, Fault: r.Fault, Interrupted: interrupted, Present: e.knowledge.Verdicts.Tally(e.project.Cases)}
	records := r.Records(e.project.Order)
	for _, rec := range records {
		sum.Tally.Add(rec.Status())
	}
	at := e.opts.Now()
	done := RunDone{
		RunID: r.ID, Full: r.Full && !interrupted, Tally: sum.Tally, State: e.State(),
		Records: records, Duration: at.Sub(r.Started), HookTime: r.HookTime, Aborted: r.Aborted,
		Project: e.project.Name(), Isolation: e.Isolation().Describe().Name, Weaker: e.Isolation().Why, StandIns: e.equipment.StandIns(), At: at,
	}
	e.knowledge.LookUpTools()
	env := &e.knowledge.Environment
	if done.Full { // and queries versions that are not known yet
		e.equipment.Runner.Versions(context.Background(), e.equipment.Tools, env.Tools)
	} else {
		e.equipment.Tools.KnownVersions(env.Tools)
	}
	env.Hookwatch = e.opts.Program
	env.OS = runtime.GOOS + "/" + runtime.GOARCH
	env.Isolation = e.Isolation().Describe().Name
	e.filing.End(done, e.project, e.knowledge, e.awaited)
	sum.RecordError = e.filing.Err()
	e.knowledge.Forget()
	if !r.Quiet || done.State != e.counts {
		e.counts = done.State
		e.opts.View.Handle(done)
	}
	return sum
}

// noticed is the maximum delay with which the watcher may report that a file was different for a
// moment.
const noticed = time.Second

// A finishedCase records when a case ended, the files it saw, and whether its verdict has been
// retracted.
type finishedCase struct {
	at          time.Time
	seen        CaseInputs
	retractions int // in a row
	retracted   bool
}

func (e finishedCase) recent(now time.Time) bool { return now.Sub(e.at) <= noticed }

// retract marks the verdict as retracted, and reports false after verdict.MaxTries in a row: a hook
// that itself removes and restores its files is run again a few times, and then accepted.
func (e *finishedCase) retract() bool {
	if e.retractions >= verdict.MaxTries {
		return false
	}
	e.retractions++
	e.retracted = true
	return true
}

// finishedCases holds the recently finished cases.
type finishedCases map[suites.Key]finishedCase

// End records the end of a case that has a verdict.
func (e finishedCases) End(k suites.Key, at time.Time, seen CaseInputs) {
	before := e[k]
	if !before.retracted {
		before.retractions = 0
	}
	e[k] = finishedCase{at: at, seen: seen, retractions: before.retractions}
}

// IsRetracted reports whether the verdict of a case was retracted.
func (e finishedCases) IsRetracted(k suites.Key) bool { return e[k].retracted }

// retract retracts the verdicts of cases that ended recently and may be wrong.
func (e finishedCases) retract(now time.Time, wrong func(CaseInputs) bool) {
	for k, end := range e {
		if !end.retracted && end.recent(now) && wrong(end.seen) && end.retract() {
			e[k] = end
		}
	}
}

// suspect records that a running case may have seen outdated files, and reports whether it must
// run again.
func (e finishedCases) suspect(k suites.Key) bool {
	end := e[k]
	again := end.retract()
	if again {
		e[k] = end
	}
	return again
}

// rest discards cases that ended are too old for a report of the watcher.
func (e finishedCases) rest(now time.Time) {
	maps.DeleteFunc(e, func(_ suites.Key, end finishedCase) bool { return !end.retracted && !end.recent(now) })
}

// ForgetGone discards removed cases.
func (e finishedCases) ForgetGone(gone func(suites.Key) bool) {
	maps.DeleteFunc(e, func(k suites.Key, _ finishedCase) bool { return gone(k) })
}
