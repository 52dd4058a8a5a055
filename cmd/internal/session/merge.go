package session

import (
	"time"

	"hookwatch/suites"
)

// Took returns how long a case took when it last ran, in milliseconds and at least 1. For cases
// that never ran it is the mean of the others.
func (e *Session) Took() func(suites.Key) int64 {
	var sum, known int64
	for _, c := range e.project.Every() {
		if v := e.knowledge.Verdicts.Present(c.Key()); v != nil {
			sum, known = sum+max(v.Duration, 1), known+1
		}
	}
	mean := int64(1)
	if known > 0 {
		mean = max(sum/known, 1)
	}
	return func(k suites.Key) int64 {
		if v := e.knowledge.Verdicts.Present(k); v != nil {
			return max(v.Duration, 1)
		}
		return mean
	}
}

// Merge files the records of cases that ran elsewhere as one full run of this project, and shows it.
// took is the time from its start to its end, hooks the sum of the times of the hooks, aborted
// why a part of it ended early. Every record must be of a case of the project.
func (e *Session) Merge(records []suites.Record, took, hooks time.Duration, aborted string) Summary {
	e.open(true)
	e.run.Started, e.run.HookTime = e.run.Started.Add(-took), hooks
	for i := range records {
		e.run.Plan(records[i].Key())
	}
	e.announceRun()
	e.run.Aborted = aborted
	for i := range records {
		r := records[i]
		r.RunID = e.run.ID
		c := e.project.Find(r.Key())
		before, previous := e.knowledge.Verdicts.Baseline(r.Key(), r.Digests.Case), e.knowledge.Verdicts.Present(r.Key())
		transition := e.transition(before, previous.HasResult(), r)
		v := suites.Verdict{Status: r.Status(), Reason: r.Reason, Note: r.Note}
		e.run.Judge(r.Key(), v)
		e.keep(&execution{c: c, ended: e.opts.Now()}, r, transition)
		e.show(CaseDone{
			RunID: r.RunID, Record: r, Verdict: v, Transition: transition,
			At: c.At.String(), Defined: c.At, Script: c.Hook, Rerun: e.opts.Rerun(r.Key()), Done: e.run.Done(), Of: e.run.Of(),
		}, previous)
	}
	_, checks := e.project.Requirements()
	e.passes(e.run.Lack(checks, nil), false) // as before a full run here; the parts do not abort
	return e.end(false)
}
