package jsonview

import (
	"io"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
)

// NewJSONL returns a view that writes one line of JSON an event to out, as it
// happens. Every line has "version" and "event"; the Line types hold the rest:
//
//	started      LineStarted
//	problems     LineProblems
//	warning      LineWarning
//	changed      LineChanged
//	run_started  LineRunStarted
//	case         LineCase
//	run_done     LineRunDone
//	transitions  LineTransitions
//	rested       LineHead: nothing is left to be done until something is saved
//
// agent returns the agent name of a suite; nil leaves them empty. Close returns the
// first error of writing; it does not close out.
func NewJSONL(out io.Writer, agent func(suite string) string) notify.View {
	return &jsonlView{lines: lineWriter{out: out}, agent: agent}
}

// A LineHead begins every line.
type LineHead struct {
	Version int    `json:"version"`
	Event   string `json:"event"`
}

// The lines of events that are written as they are.
type (
	LineStarted struct {
		LineHead
		notify.Started
	}
	LineProblems struct {
		LineHead
		notify.Problems
	}
	LineWarning struct {
		LineHead
		notify.Warning
	}
	LineChanged struct {
		LineHead
		notify.Changed
		Total int `json:"total"` // cases in all
	}
	LineRunStarted struct {
		LineHead
		notify.RunStarted
	}
	LineCase struct {
		LineHead
		notify.CaseDone
	}
)

// LineRunDone closes a run: its Summary, and the present state of all cases.
type LineRunDone struct {
	LineHead
	Full bool `json:"full"`
	Summary
	State suites.State `json:"state"`
	All   int          `json:"all_cases"`
	At    notify.Time  `json:"at,omitzero"`
}

// LineTransitions lists what got worse and what got better, settled.
type LineTransitions struct {
	LineHead
	RunID       string           `json:"run_id"`
	Project     string           `json:"project"`
	Regressions []LineTransition `json:"regressions"`
	Resolved    []LineTransition `json:"resolved"`
}

// LineTransition names a case whose verdict changed; its record was in a
// LineCase before.
type LineTransition struct {
	suites.Key
	Name string `json:"name"`
	Note string `json:"note"`
}

type jsonlView struct {
	lines  lineWriter
	agent  func(suite string) string
	failed mismatches
}

func (v *jsonlView) Close() error { return v.lines.err }

func (v *jsonlView) Handle(e notify.Event) {
	v.failed.see(e)
	if l := v.line(e); l != nil {
		v.lines.write(l)
	}
}

func (v *jsonlView) line(e notify.Event) any {
	head := func(event string) LineHead { return LineHead{SchemaVersion, event} }
	switch e := e.(type) {
	case notify.Started:
		return LineStarted{head("started"), e}
	case notify.Problems:
		e.List = list(e.List)
		return LineProblems{head("problems"), e}
	case notify.Warning:
		return LineWarning{head("warning"), e}
	case notify.Changed:
		e.Changes, e.Selected, e.NotAffected, e.Uncovered = list(e.Changes), list(e.Selected), list(e.NotAffected), list(e.Uncovered)
		return LineChanged{head("changed"), e, e.State.Total()}
	case notify.RunStarted:
		return LineRunStarted{head("run_started"), e}
	case notify.CaseDone:
		e.Mismatches = list(e.Mismatches)
		return LineCase{head("case"), e}
	case notify.RunDone:
		return LineRunDone{head("run_done"), e.Full, summarise(e, v.agent, v.failed), e.State, e.State.Total(), notify.Time{Time: e.At}}
	case notify.Rested:
		return head("rested")
	case notify.Transitions:
		return LineTransitions{head("transitions"), e.RunID, e.Project,
			transitions(e.Regressions), transitions(e.Resolved)}
	}
	return nil
}

func transitions(records []suites.Record) []LineTransition {
	out := make([]LineTransition, len(records))
	for i, r := range records {
		out[i] = LineTransition{r.Key(), r.TestName, r.Note}
	}
	return out
}
