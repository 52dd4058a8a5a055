package cli

import (
	"io"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

var _ = register(&format{
	name: "jsonl", help: "one JSON value a line: an event of a run, or an entry of another command", layout: asLines,
	view: func(a *app, p *session.Project, _ bool) notify.View {
		return newJSONL(a.json(), p.Agent)
	},
	write: func(a *app, r result) error {
		enc := a.encoder()
		for i := range r.items {
			if err := enc.Encode(r.item(i)); err != nil {
				return err
			}
		}
		return nil
	},
})

// newJSONL returns a view that writes one line of JSON per event to out, as it happens. Every
// line has "version" and "event"; the other fields are those of the line types:
//
//	started      lineStarted
//	problems     lineProblems
//	warning      lineWarning
//	changed      lineChanged
//	run_started  lineRunStarted
//	case         lineCase
//	run_done     lineRunDone
//	transitions  lineTransitions
//	rested       lineHead: nothing is left to do until the next save
//
// agent returns the agent name of a suite; if it is nil the names are empty. Close returns the
// first write error; it does not close out.
func newJSONL(out io.Writer, agent func(suite string) string) notify.View {
	return &jsonlView{lines: lineWriter{out: out}, agent: agent}
}

// A lineHead holds the first fields of every line.
type lineHead struct {
	Version int    `json:"version"`
	Event   string `json:"event"`
}

// Lines that contain their event unchanged.
type (
	lineStarted struct {
		lineHead
		notify.Started
	}
	lineProblems struct {
		lineHead
		notify.Problems
	}
	lineWarning struct {
		lineHead
		notify.Warning
	}
	lineChanged struct {
		lineHead
		notify.Changed
		Total int `json:"total"` // total number of cases
	}
	lineRunStarted struct {
		lineHead
		notify.RunStarted
	}
	lineCase struct {
		lineHead
		notify.CaseDone
	}
)

// lineRunDone ends a run: its runSummary, and the present state of all cases.
type lineRunDone struct {
	lineHead
	Full bool `json:"full"`
	runSummary
	State suites.State `json:"state"`
	All   int          `json:"all_cases"`
	At    notify.Time  `json:"at,omitzero"`
}

// lineTransitions lists regressions and resolved failures after they have settled.
type lineTransitions struct {
	lineHead
	RunID       string           `json:"run_id"`
	Project     string           `json:"project"`
	Regressions []lineTransition `json:"regressions"`
	Resolved    []lineTransition `json:"resolved"`
}

// lineTransition names a case whose verdict changed; its record was in an earlier lineCase.
type lineTransition struct {
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
	head := func(event string) lineHead { return lineHead{schemaVersion, event} }
	switch e := e.(type) {
	case notify.Started:
		return lineStarted{head("started"), e}
	case notify.Problems:
		e.List = list(e.List)
		return lineProblems{head("problems"), e}
	case notify.Warning:
		return lineWarning{head("warning"), e}
	case notify.Changed:
		e.Changes, e.Selected, e.NotAffected, e.Uncovered = list(e.Changes), list(e.Selected), list(e.NotAffected), list(e.Uncovered)
		return lineChanged{head("changed"), e, e.State.Total()}
	case notify.RunStarted:
		return lineRunStarted{head("run_started"), e}
	case notify.CaseDone:
		e.Mismatches = list(e.Mismatches)
		return lineCase{head("case"), e}
	case notify.RunDone:
		return lineRunDone{head("run_done"), e.Full, summarise(e, v.agent, v.failed), e.State, e.State.Total(), notify.Time{Time: e.At}}
	case notify.Rested:
		return head("rested")
	case notify.Transitions:
		return lineTransitions{head("transitions"), e.RunID, e.Project,
			transitions(e.Regressions), transitions(e.Resolved)}
	}
	return nil
}

func transitions(records []suites.Record) []lineTransition {
	out := make([]lineTransition, len(records))
	for i, r := range records {
		out[i] = lineTransition{r.Key(), r.TestName, r.Note}
	}
	return out
}
