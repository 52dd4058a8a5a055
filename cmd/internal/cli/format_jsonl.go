package cli

import (
	"io"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

var _ = register(&format{
	name: "jsonl", help: "one JSON value a line: an event of a run, or an entry of another command", layout: asLines,
	view: func(a *app, p *session.Project, _ notify.Options, _ bool) session.View {
		return newJSONL(a.json(), p.Agent)
	},
	write: func(a *app, r result) error {
		enc := a.encoder()
		for _, item := range r.items {
			if err := enc.Encode(item); err != nil {
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
func newJSONL(out io.Writer, agent func(suite string) string) session.View {
	return &jsonView{lines: lineWriter{out: out}, agent: agent, of: lineOf}
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
		session.Started
	}
	lineProblems struct {
		lineHead
		session.Problems
	}
	lineWarning struct {
		lineHead
		session.Warning
	}
	lineChanged struct {
		lineHead
		session.Changed
		Total int `json:"total"` // total number of cases
	}
	lineRunStarted struct {
		lineHead
		session.RunStarted
	}
	lineCase struct {
		lineHead
		session.CaseDone
	}
)

// lineRunDone ends a run: its runSummary, and the present state of all cases.
type lineRunDone struct {
	lineHead
	Full bool `json:"full"`
	runSummary
	State suites.State `json:"state"`
	All   int          `json:"all_cases"`
	At    session.Time `json:"at,omitzero"`
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

// lineOf returns the line about an event.
func lineOf(v *jsonView, e session.Event) any {
	head := func(event string) lineHead { return lineHead{schemaVersion, event} }
	switch e := e.(type) {
	case session.Started:
		return lineStarted{head("started"), e}
	case session.Problems:
		e.List = list(e.List)
		return lineProblems{head("problems"), e}
	case session.Warning:
		return lineWarning{head("warning"), e}
	case session.Changed:
		e.Changes, e.Selected, e.NotAffected, e.Uncovered = list(e.Changes), list(e.Selected), list(e.NotAffected), list(e.Uncovered)
		return lineChanged{head("changed"), e, e.State.Total()}
	case session.RunStarted:
		return lineRunStarted{head("run_started"), e}
	case session.CaseDone:
		e.Mismatches = list(e.Mismatches)
		return lineCase{head("case"), e}
	case session.RunDone:
		return lineRunDone{head("run_done"), e.Full, summarise(e, v.agent, v.failed), e.State, e.State.Total(), session.Time{Time: e.At}}
	case session.Rested:
		return head("rested")
	case session.Transitions:
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
