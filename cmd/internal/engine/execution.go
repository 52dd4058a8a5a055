package engine

import (
	"context"
	"errors"
	"time"

	"hookwatch/cmd/internal/engine/freshness"
	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/isolate"
	"hookwatch/suites/process"
	"hookwatch/suites/run"
	"hookwatch/suites/verdict"
)

// An execution is one case on its way from the queue to its verdict.
type execution struct {
	c       *suites.Case
	runner  *run.Runner // another one may be in force before this one is done
	cancel  context.CancelFunc
	seen    freshness.Seen // its inputs when it started
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
		x.verdict = suites.Verdict{Status: suites.Aborted, Note: suites.NoteAborted + why.Error()}
	} else if x.err != nil {
		x.verdict = suites.Verdict{Status: suites.Fail, Note: x.err.Error(), Mismatches: []suites.Mismatch{{Field: "start", Got: x.err.Error()}}}
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
	var unavailable *isolate.UnavailableError
	why := isolate.Explained(err)
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
