package decide

import (
	"fmt"
	"strings"
	"time"

	"hookwatch/suites"
)

// Made holds the values from which a record is made.
type Made struct {
	Case      *suites.Case
	Outcome   suites.Outcome
	Verdict   suites.Verdict
	Digests   suites.Digests
	Ended     time.Time
	Run       string // its ID
	Isolation string
}

// ShownStep returns the index of the step in the record: the first that failed, or the last.
func ShownStep(c *suites.Case, v suites.Verdict) int {
	if len(v.Mismatches) > 0 {
		return v.Mismatches[0].Step
	}
	return len(c.Steps) - 1
}

// Record returns the record of a verdict.
func Record(m Made) suites.Record {
	c, o, i := m.Case, m.Outcome, ShownStep(m.Case, m.Verdict)
	expect := c.Steps[i].Expect
	r := suites.Record{
		Hook:             hookName(c),
		TestName:         c.Name,
		Category:         c.Category,
		InputSummary:     c.Summary,
		ExpectedDecision: expectedDecision(c.Layer, expect),
		ExpectedExit:     expect.Exit,
		Pass:             m.Verdict.Status.OK(),
		Note:             m.Verdict.Note,
		Timestamp:        m.Ended.UTC().Format(suites.TimestampLayout),
		DurationMS:       o.Duration.Milliseconds(),
		ID:               c.ID,
		Suite:            c.Suite,
		Layer:            c.Layer,
		RunID:            m.Run,
		Digests:          m.Digests,
		Isolation:        m.Isolation,
		Verdict:          m.Verdict.Status,
		Reason:           m.Verdict.Reason,
		Changes:          o.Changes[:min(len(o.Changes), suites.MaxChanges)],
		Stopped:          o.Stopped,
	}
	if i < len(o.Results) {
		res := o.Results[i]
		r.ActualDecision = actualDecision(c.Layer, expect, res)
		if !firing(c.Layer, expect) {
			r.ActualExit = exitOf(&res)
		}
		r.ActualOutput = Text(res.Stdout, res.StdoutBytes)
		r.ActualStderr = Text(res.Stderr, res.StderrBytes)
		r.Client, r.Live = res.Client, liveOf(res.Live, m.Verdict.Status)
	}
	return r
}

// liveOf returns the recorded part of a session with the client: request bodies are kept only if
// the case failed.
func liveOf(l *suites.LiveResult, s suites.Status) *suites.LiveResult {
	if l == nil || s == suites.Fail {
		return l
	}
	kept := *l
	kept.Bodies = nil
	return &kept
}

func hookName(c *suites.Case) string {
	switch {
	case c.Check != nil:
		return "infrastructure" // the name that other tools use
	case c.Chain:
		return "chain"
	}
	return c.Hook[strings.LastIndexByte(c.Hook, '/')+1:]
}

// firing reports whether the record states whether the client fired the hook: other tools write
// this for each layer 2 case and omit its exit code.
func firing(l suites.Layer, e suites.Expectation) bool {
	return l == suites.Live && e.Decision == "" && e.Exit == nil
}

func fired(did bool) string {
	if did {
		return "hook_fired"
	}
	return "hook_not_fired"
}

// expectedDecision returns the expected decision if there is one, otherwise the exit code in the
// format of other tools, otherwise the effect.
func expectedDecision(l suites.Layer, e suites.Expectation) string {
	switch {
	case firing(l, e):
		return fired(e.HookFired == nil || *e.HookFired)
	case e.Decision != "":
		return e.Decision
	case e.Exit != nil:
		return fmt.Sprintf("exit_%d", *e.Exit)
	default:
		return string(e.Effect)
	}
}

func actualDecision(l suites.Layer, e suites.Expectation, r suites.Result) string {
	switch {
	case r.NotStarted != "":
		return "not_started"
	case r.Memory > 0:
		return "memory"
	case r.TimedOut:
		return "timeout"
	case firing(l, e):
		return fired(r.Fired)
	case e.Decision != "":
		return r.Decision
	case e.Exit == nil && e.Effect != "":
		return string(r.Effect)
	case r.Signal != "":
		return r.Signal
	default:
		return fmt.Sprintf("exit_%d", r.Exit)
	}
}
