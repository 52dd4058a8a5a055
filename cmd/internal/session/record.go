package session

import (
	"fmt"
	"strings"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/isolate"
	"hookwatch/suites/record"
)

// shownStep is the step that a record shows: the first that failed, or the last.
func shownStep(c *suites.Case, v suites.Verdict) int {
	if len(v.Mismatches) > 0 {
		return v.Mismatches[0].Step
	}
	return len(c.Steps) - 1
}

// record makes the line that is kept of a verdict.
func (s *Session) record(e *execution, v suites.Verdict) suites.Record {
	i := shownStep(e.c, v)
	expect := e.c.Steps[i].Expect
	r := suites.Record{
		Hook:             hookName(e.c),
		TestName:         e.c.Name,
		Category:         e.c.Category,
		InputSummary:     e.c.Summary,
		ExpectedDecision: expectedDecision(expect),
		ExpectedExit:     expect.Exit,
		Pass:             v.Status.OK(),
		Note:             v.Note,
		Timestamp:        e.ended.UTC().Format(suites.TimestampLayout),
		DurationMS:       e.outcome.Duration.Milliseconds(),
		ID:               e.c.ID,
		Suite:            e.c.Suite,
		Layer:            e.c.Layer,
		RunID:            s.current.id,
		Digests:          e.digests,
		Isolation:        s.Isolation(),
		Changes:          e.outcome.Changes[:min(len(e.outcome.Changes), suites.MaxChanges)],
		Stopped:          e.outcome.Stopped,
	}
	if e.c.Check != nil {
		r.Isolation = string(isolate.None) // it looks at the machine itself
	}
	if i < len(e.outcome.Results) {
		res := e.outcome.Results[i]
		r.ActualDecision = actualDecision(expect, res)
		if res.NotStarted == "" && res.Signal == "" && !res.TimedOut {
			r.ActualExit = &res.Exit
		}
		r.ActualOutput = record.Text(res.Stdout, res.StdoutBytes)
		r.ActualStderr = record.Text(res.Stderr, res.StderrBytes)
	}
	return r
}

func hookName(c *suites.Case) string {
	switch {
	case c.Check != nil:
		return "infrastructure" // as other tools call it
	case c.Chain:
		return "chain"
	}
	return c.Hook[strings.LastIndexByte(c.Hook, '/')+1:]
}

// expectedDecision is the decision where one is expected, else the exit code in
// the form of the other tools, else the effect.
func expectedDecision(e suites.Expectation) string {
	switch {
	case e.Decision != "":
		return e.Decision
	case e.Exit != nil:
		return fmt.Sprintf("exit_%d", *e.Exit)
	default:
		return string(e.Effect)
	}
}

func actualDecision(e suites.Expectation, r suites.Result) string {
	switch {
	case r.NotStarted != "":
		return "not_started"
	case r.Memory > 0:
		return "memory"
	case r.TimedOut:
		return "timeout"
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

// keep appends the record. The first failure to do so is told at once; the
// verdicts go on.
func (s *Session) keep(r suites.Record) {
	if s.o.Store == nil {
		return
	}
	if err := s.o.Store.Append(r); err != nil {
		s.recordFailed(err)
	}
}

func (s *Session) recordFailed(err error) {
	if s.recordError == nil {
		s.o.View.Handle(notify.Warning{Text: "records are not kept: " + err.Error()})
	}
	s.recordError = err
}

// digests say what a verdict is about.
func (s *Session) digests(c *suites.Case, inputs []suites.Input) suites.Digests {
	d := s.digestsNow(c)
	if _, known := s.inputs[d.Inputs]; !known {
		s.inputs[d.Inputs] = inputs
	}
	return d
}

func (s *Session) digestsNow(c *suites.Case) suites.Digests {
	return suites.Digests{Case: c.Digest, Inputs: s.inputsDigest(c), Tools: s.toolsDigest(c)}
}

// toolsDigest stands for the tools that the case's hooks reach, and its gates.
func (s *Session) toolsDigest(c *suites.Case) string {
	return s.look.Set(s.p.ToolKey(c), func() []string { return s.p.ToolNames(c) })
}

// standing lists the stand-ins that a hook can reach.
func standing(p *project.Project, standIn map[string]string, hook string) []string {
	if len(standIn) == 0 {
		return nil
	}
	var out []string
	for _, name := range p.Graph.Tools(hook) {
		if what, ok := standIn[name]; ok {
			out = append(out, name+"="+what)
		}
	}
	return out
}
