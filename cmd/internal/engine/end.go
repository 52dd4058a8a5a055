package engine

import (
	"context"
	"runtime"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
)

// A Summary is how a run went.
type Summary struct {
	RunID       string
	Tally       suites.Tally // of the run
	Present     suites.Tally // of the cases that the filter lets through, those that did not run too
	Aborted     string
	Missing     []string // tools for want of which it was aborted
	Fault       error    // why the machine did not let a case run; nil: it did
	Interrupted bool
	RecordError error
}

// end closes the current run: its records become the present state, and a full
// run is archived and compared with the one before it.
func (e *Engine) end(interrupted bool) Summary {
	r := e.run
	e.run, e.first = nil, false
	if r.Fault != nil && r.Aborted == "" {
		r.Aborted = r.Fault.Error()
	}
	sum := Summary{RunID: r.ID, Aborted: r.Aborted, Missing: r.Missing, Fault: r.Fault, Interrupted: interrupted, Present: e.known.Verdicts.Tally(e.p.Cases)}
	records := r.Records(e.p.Order)
	for _, rec := range records {
		sum.Tally.Add(rec.Status())
	}
	at := e.o.Now()
	done := notify.RunDone{
		RunID: r.ID, Full: r.Full && !interrupted, Tally: sum.Tally, State: e.State(),
		Records: records, Duration: at.Sub(r.Started), HookTime: r.HookTime, Aborted: r.Aborted,
		Project: e.p.Name(), Isolation: e.Isolation(), Weaker: e.with.Weaker(), StandIns: e.with.StandIns(), At: at,
	}
	e.describeEnvironment(done.Full)
	e.filing.End(done, e.p, e.known, e.awaited)
	sum.RecordError = e.filing.Err()
	e.known.Forget()
	if !r.Quiet || done.State != e.counts {
		e.counts = done.State
		e.o.View.Handle(done)
	}
	return sum
}

// describeEnvironment looks the project's tools up; a full run asks for the
// versions that are not known yet.
func (e *Engine) describeEnvironment(full bool) {
	e.known.LookUpTools()
	env := &e.known.Environment
	if full {
		e.with.Runner.Versions(context.Background(), e.with.Tools, env.Tools)
	} else {
		e.with.Tools.KnownVersions(env.Tools)
	}
	env.Hookwatch = e.o.Program
	env.OS = runtime.GOOS + "/" + runtime.GOARCH
	env.Isolation = e.Isolation()
}
