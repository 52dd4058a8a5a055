package session

import (
	"context"
	"fmt"
	"time"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/isolate/trees"
	"hookwatch/suites/plan"
	"hookwatch/suites/run"
	"hookwatch/suites/verdict"
)

// An execution is one case on its way from the queue to its verdict.
type execution struct {
	c       *suites.Case
	runner  *run.Runner // another one may be in force before this one is done
	cancel  context.CancelFunc
	inputs  []suites.Input
	digests suites.Digests
	stamps  []disk.Signature // of the input files, as files lists them, when it started
	stale   bool             // superseded: its verdict is about nothing that is there
	outcome suites.Outcome
	err     error
	verdict suites.Verdict // its own, before its control is asked
	whole   bool           // it came to its end: what is asked afterwards only explains
	ended   time.Time
}

// fill starts waiting cases while there are free workers.
func (s *Session) fill(ctx context.Context) {
	if s.paused {
		return
	}
	serial := false
	for _, e := range s.running {
		serial = serial || e.c.Serial
	}
	for _, c := range s.queue.Next(s.jobs-len(s.running), len(s.running), serial) {
		s.start(ctx, c)
	}
}

func (s *Session) start(ctx context.Context, c *suites.Case) {
	s.tellNotes()
	ctx, cancel := context.WithCancel(ctx)
	inputs, stamps := s.stamps.freshInputs(c, s.withoutOwn)
	e := &execution{c: c, runner: s.runner, cancel: cancel, inputs: inputs, digests: s.digests(c, inputs), stamps: stamps}
	s.running[c.Key()] = e
	go func() {
		defer cancel()
		e.outcome, e.err = e.runner.Case(ctx, c)
		e.whole, e.ended = ctx.Err() == nil, s.o.Now()
		if e.whole && e.err == nil {
			e.inquire(ctx)
		}
		s.results <- e
	}()
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
func (e *execution) inquire(ctx context.Context) {
	suspects := verdict.Suspects(e.c, e.outcome)
	if len(suspects) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, min(max(inquiryTimes*e.outcome.Duration, leastInquiry), mostInquiry))
	defer cancel()
	if calls, err := e.runner.Calls(ctx, e.c, suspects); err == nil {
		e.outcome.Calls = calls
	}
}

// finish takes a finished case: back into the queue when its inputs are others
// by now, to its verdict otherwise. One that was cut short because the session
// ends has none.
func (s *Session) finish(ctx context.Context, e *execution) {
	delete(s.running, e.c.Key())
	s.current.cut = s.current.cut || ctx.Err() != nil
	if s.current.cut && !e.whole {
		s.discard(e)
		return
	}
	if s.again(e) {
		s.discard(e)
	} else {
		s.judge(e)
	}
	s.settle()
}

// judge gives an execution its own verdict, and holds it for its control's.
func (s *Session) judge(e *execution) {
	if e.err != nil {
		e.verdict = suites.Verdict{Status: suites.Fail, Note: e.err.Error(), Mismatches: []suites.Mismatch{{Field: "start", Got: e.err.Error()}}}
	} else {
		e.verdict = verdict.Judge(e.c, e.outcome, s.timeout(e.c))
	}
	s.current.own[e.c.Key()] = e.verdict
	s.held[e.c.Key()] = e
}

// again puts a case back into the queue whose inputs are not those that it
// started with, or drops it when it is no more.
func (s *Session) again(e *execution) bool {
	key := e.c.Key()
	var changed []string
	e.stale = e.stale || !s.awaited && s.p.Gone() // a run that is awaited ends with what it finds
	if !e.stale {
		if changed = s.stamps.changedSince(e); len(changed) == 0 {
			s.undisturbed(e.inputs)
		}
		s.touched(changed)
	}
	c := s.p.Find(key)
	next := plan.Ended(e.stale, len(changed) > 0, s.current.tries[key], c != nil)
	switch next {
	case plan.Again:
		s.enqueue(c)
	case plan.Drop:
		s.drop(key)
	case plan.Conclude:
		return false
	}
	if !e.stale {
		s.current.tries[key]++
	}
	return true
}

// settle gives every held case its verdict whose control has one.
func (s *Session) settle() {
	for progress := true; progress; {
		progress = false
		for key, e := range s.held {
			v, ok := s.proven(e)
			if !ok {
				continue
			}
			delete(s.held, key)
			s.conclude(e, v)
			progress = true
		}
	}
}

// proven is the case's verdict with its control's taken into account; not ok
// while the control's is still to come, or where the run ends without it.
func (s *Session) proven(e *execution) (suites.Verdict, bool) {
	control, has := plan.ControlOf(e.c)
	if !has || e.verdict.Status != suites.Pass {
		return e.verdict, true
	}
	own, ok := s.current.own[control]
	switch {
	case s.pending(control):
		return suites.Verdict{}, false
	case ok:
		return verdict.Prove(e.verdict, control, own), true
	case s.current.cut:
		return suites.Verdict{}, false // and never will be
	}
	missing := suites.Verdict{Status: suites.Fail, Note: "was not run"}
	return verdict.Prove(e.verdict, control, missing), true
}

func (s *Session) pending(k suites.Key) bool { return s.queue.Has(k) || s.running[k] != nil }

// conclude records a verdict and then announces it, never the other way round. What
// becomes of the sandbox can wait until a person has read it.
func (s *Session) conclude(e *execution, v suites.Verdict) {
	key := e.c.Key()
	r := s.record(e, v)
	before := s.baseline(key, r.Digests.Case)
	previous := s.present[key]
	seen := previous != nil && previous.status != suites.Aborted // that one says nothing
	transition := s.transition(before, seen, r)
	s.keep(r)
	s.news.Observe(&r, transition == notify.Regression)
	s.remembered(key, lastVerdictOf(&r))
	s.ran(e.c)
	s.checkAudited(e, &r)
	s.ends(e)
	s.current.add(r)
	failedBefore := previous != nil && !previous.status.OK()
	done := notify.CaseDone{
		RunID: r.RunID, Record: r, Verdict: v, Transition: transition,
		At: e.c.At.String(), Rerun: s.o.Rerun(key), Sandbox: s.keptAt(e, v),
		Done: len(s.current.records), Of: s.current.of(),
	}
	if previous != nil {
		done.Since, _ = time.Parse(suites.TimestampLayout, previous.at)
	}
	if v.Status == suites.Fail {
		done.Effect = clientWould(e.outcome, shownStep(e.c, v))
	}
	if transition == notify.Explained {
		done.Tools = s.explaining(key, before.digests.Tools, r.Digests.Tools)
	}
	s.current.hookTime += hookTime(e.outcome)
	s.announceCase(done, previous)
	s.putAway(e, done.Sandbox, failedBefore)
}

// announceCase shows a verdict. Where a failure was only reproduced there is
// nothing to show, unless it was not.
func (s *Session) announceCase(done notify.CaseDone, previous *lastVerdict) {
	switch {
	case !s.current.quiet:
		s.o.View.Handle(done)
	case previous == nil || previous.status == done.Record.Status():
	default:
		s.current.quiet = false // from here on there is something to see
		s.o.View.Handle(notify.Warning{Text: fmt.Sprintf("%s %s is flaky: %s, then %s on the same content",
			done.Record.ID, done.Record.TestName, previous.status, done.Record.Status())})
		s.o.View.Handle(done)
	}
}

// putAway keeps the surroundings of a failing case at a path, and removes all others.
func (s *Session) putAway(e *execution, at string, failedBefore bool) {
	if at == "" {
		s.discard(e)
		if failedBefore && s.o.Keep != "" {
			_ = trees.Remove(keptPath(s.o.Keep, e.c))
		}
		return
	}
	if err := s.keepSandbox(e, at); err != nil {
		s.o.View.Handle(notify.Warning{Text: fmt.Sprintf("the sandbox of %s is not kept, or others that are too many: %v", e.c.Key(), err)})
	}
}

func (s *Session) discard(e *execution) {
	if e.runner == nil { // it never ran
		return
	}
	if err := e.runner.Remove(e.outcome); err != nil {
		s.o.View.Handle(notify.Warning{Text: "sandbox not removed: " + err.Error()})
	}
}

func (s *Session) timeout(c *suites.Case) time.Duration {
	if c.Timeout > 0 {
		return c.Timeout
	}
	return s.p.Config.Run.Timeout
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
