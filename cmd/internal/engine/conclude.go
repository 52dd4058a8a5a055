package engine

import (
	"cmp"
	"time"

	"hookwatch/cmd/internal/engine/decide"
	"hookwatch/cmd/internal/engine/verdicts"
	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// conclude records a verdict and then announces it, never the other way round. What
// becomes of the sandbox can wait until a person has read it.
func (e *Engine) conclude(x *execution, v suites.Verdict) {
	k := x.c.Key()
	r := verdicts.Record(verdicts.Made{
		Case: x.c, Outcome: x.outcome, Verdict: v, Digests: x.digests, Ended: x.ended,
		Run: e.run.ID, Isolation: e.with.IsolationOf(x.c),
	})
	before, previous := e.known.Verdicts.Baseline(k, r.Digests.Case), e.known.Verdicts.Present(k)
	transition := e.transition(before, previous.Says(), r)
	e.keep(x, r, transition)
	done := notify.CaseDone{
		RunID: r.RunID, Record: r, Verdict: v, Transition: transition,
		At: x.c.At.String(), Defined: x.c.At, Script: cmp.Or(x.c.Steps[verdicts.ShownStep(x.c, v)].Hook, x.c.Hook), Rerun: e.o.Rerun(k), Sandbox: e.kept().At(x.c, x.outcome, v),
		Done: e.run.Done(), Of: e.run.Of(),
	}
	if previous != nil {
		done.Since, _ = time.Parse(suites.TimestampLayout, previous.At)
	}
	if v.Status == suites.Fail {
		done.Effect = clientWould(x.outcome, verdicts.ShownStep(x.c, v))
	}
	if transition == notify.Explained {
		done.Tools = e.known.Explaining(k, before.Digests.Tools, r.Digests.Tools)
	}
	e.run.HookTime += hookTime(x.outcome)
	e.show(done, previous)
	e.putAway(x, done.Sandbox, previous != nil && !previous.Status.OK())
}

// transition tells how a record differs from the verdict that it is compared with.
func (e *Engine) transition(before *verdicts.Verdict, seen bool, r suites.Record) notify.Transition {
	explain := func(was, is string) bool {
		// Without a suite nothing says that a hook may need a tool: one that is absent lets
		// through what the hook stopped.
		return !r.Key().Generated() && len(e.known.Explaining(r.Key(), was, is)) > 0
	}
	switch decide.Transition(before, seen, e.first, r, explain) {
	case verdict.Added:
		return notify.New
	case verdict.Regression:
		return notify.Regression
	case verdict.Resolved:
		return notify.Resolved
	case verdict.Explained:
		return notify.Explained
	case verdict.Edited:
		return notify.Edited
	default:
		return notify.Same
	}
}

// keep records a verdict, and lets all know of it that need to.
func (e *Engine) keep(x *execution, r suites.Record, transition notify.Transition) {
	k := x.c.Key()
	e.filing.Append(r)
	e.news.Observe(&r, transition == notify.Regression)
	e.known.Verdicts.Put(k, verdicts.Of(&r))
	e.ran(x.c)
	e.checkAudited(k, &r)
	e.known.Freshness.Ended(k, x.ended, x.seen)
	e.run.Add(r)
}

// checkAudited compares the verdict of a case that had been left out with the one
// that it was to keep.
func (e *Engine) checkAudited(k suites.Key, r *suites.Record) {
	if widen, told := e.audit.Check(k, r); told != "" {
		e.known.Selector.Widen(k, r.Digests, e.known.Inputs(r.Digests.Inputs), widen)
		e.warn(told)
	}
}

// show shows a verdict, if it is to be seen.
func (e *Engine) show(done notify.CaseDone, previous *verdicts.Verdict) {
	show, flaky := decide.Shown(e.run.Quiet, previous, done.Record.Status())
	if flaky {
		e.run.Quiet = false // from here on there is something to see
		e.warnf("%s %s is flaky: %s, then %s on the same content",
			done.Record.ID, done.Record.TestName, previous.Status, done.Record.Status())
	}
	if show {
		e.o.View.Handle(done)
	}
}

// putAway keeps the surroundings of a failing case at a path, and removes all others.
func (e *Engine) putAway(x *execution, at string, failedBefore bool) {
	if at == "" {
		e.discard(x)
		if failedBefore {
			e.kept().Drop(x.c)
		}
	} else if err := e.kept().Take(x.runner, x.outcome, at); err != nil {
		e.warnf("the sandbox of %s is not kept, or others that are too many: %v", x.c.Key(), err)
	}
}

func (e *Engine) discard(x *execution) {
	if x.runner == nil { // it never ran
		return
	}
	if err := x.runner.Remove(x.outcome); err != nil {
		e.warn("sandbox not removed: " + err.Error())
	}
}
