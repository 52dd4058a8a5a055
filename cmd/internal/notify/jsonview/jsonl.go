package jsonview

import (
	"io"
	"time"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
)

// NewJSONL returns a view that writes one line of JSON an event to out, as it
// happens. Every line has "version" and "event"; the Line types say what else:
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
// Times are RFC 3339 in UTC with milliseconds, and absent when unknown. Agent
// tells the agent name of a suite; nil leaves them empty. Close tells the first
// error that writing met; it does not close out.
func NewJSONL(out io.Writer, agent func(suite string) string) notify.View {
	return &jsonlView{lines: lineWriter{out: out}, agent: agent}
}

// A LineHead begins every line.
type LineHead struct {
	Version int    `json:"version"`
	Event   string `json:"event"`
}

// LineStarted says what the session looks at, and the present state.
type LineStarted struct {
	LineHead
	Project   string       `json:"project"`
	Root      string       `json:"root"`
	Hooks     int          `json:"hooks"`
	Cases     int          `json:"cases"`
	Watched   int          `json:"watched"`
	Isolation string       `json:"isolation"`
	Weaker    string       `json:"isolation_why,omitempty"` // why it is not namespaces
	State     suites.State `json:"state"`
	LastFull  string       `json:"last_full,omitempty"`
}

// LineProblems lists all that is wrong; an empty list says that all is well
// again. InForce tells that the last good configuration still holds.
type LineProblems struct {
	LineHead
	Problems []suites.Problem `json:"problems"`
	InForce  bool             `json:"in_force"`
}

// LineWarning is something a person should read.
type LineWarning struct {
	LineHead
	Text string `json:"text"`
}

// LineChanged says what was saved and which of the total cases that selected.
type LineChanged struct {
	LineHead
	At       string          `json:"at,omitempty"`
	Changes  []notify.Change `json:"changes"`
	Selected []LineSelected  `json:"selected"`
	// NotAffected are cases that depend on what changed and are not affected;
	// Uncovered are places of the change that no case executes.
	NotAffected []LineSelected `json:"not_affected"`
	Uncovered   []string       `json:"uncovered"`
	State       suites.State   `json:"state"`
	Total       int            `json:"total"`
}

// LineSelected is one selected case and the reasons.
type LineSelected struct {
	LineKey
	Because []string `json:"because"`
}

// A LineKey identifies a case.
type LineKey struct {
	Suite string `json:"suite"`
	ID    string `json:"id"`
}

// LineRunStarted opens a run of so many cases out of the total.
type LineRunStarted struct {
	LineHead
	RunID string `json:"run_id"`
	Full  bool   `json:"full"`
	Cases int    `json:"cases"`
	Total int    `json:"total"`
	At    string `json:"at,omitempty"`
}

// LineCase is one finished case: its record whole, and what the record does not
// say. Transition is new, regression, resolved, edited, explained, or absent
// when the verdict is as it was; Rerun is the command that runs just this case.
type LineCase struct {
	LineHead
	RunID      string            `json:"run_id"`
	Case       suites.Record     `json:"case"`
	Status     suites.Status     `json:"status"`
	Mismatches []suites.Mismatch `json:"mismatches"`
	Effect     string            `json:"effect,omitempty"`
	Transition notify.Transition `json:"transition,omitempty"`
	Tools      []string          `json:"tools,omitempty"` // that changed and so explain it
	Since      string            `json:"since,omitempty"`
	Rerun      string            `json:"rerun,omitempty"`
	Sandbox    string            `json:"sandbox,omitempty"`
	Done       int               `json:"done"`
	Of         int               `json:"of"`
}

// LineRunDone closes a run: its Summary, and the present state of all cases.
type LineRunDone struct {
	LineHead
	Full bool `json:"full"`
	Summary
	State suites.State `json:"state"`
	All   int          `json:"all_cases"`
	At    string       `json:"at,omitempty"`
}

// LineTransitions says what got worse and what got better, settled.
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
	LineKey
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
		return LineStarted{head("started"), e.Project, e.Root, e.Hooks, e.Cases, e.Watched,
			e.Isolation, e.Weaker, e.State, utc(e.LastFull)}
	case notify.Problems:
		return LineProblems{head("problems"), list(e.List), e.InForce}
	case notify.Warning:
		return LineWarning{head("warning"), e.Text}
	case notify.Changed:
		return LineChanged{head("changed"), utc(e.At), list(e.Changes), selections(e.Selected), selections(e.NotAffected), list(e.Uncovered), e.State, e.State.Total()}
	case notify.RunStarted:
		return LineRunStarted{head("run_started"), e.RunID, e.Full, e.Cases, e.Total, utc(e.At)}
	case notify.CaseDone:
		return LineCase{head("case"), e.RunID, e.Record, e.Verdict.Status, list(e.Verdict.Mismatches),
			e.Effect, e.Transition, e.Tools, utc(e.Since), e.Rerun, e.Sandbox, e.Done, e.Of}
	case notify.RunDone:
		return LineRunDone{head("run_done"), e.Full, summarise(e, v.agent, v.failed), e.State, e.State.Total(), utc(e.At)}
	case notify.Rested:
		return head("rested")
	case notify.Transitions:
		return LineTransitions{head("transitions"), e.RunID, e.Project,
			transitions(e.Regressions), transitions(e.Resolved)}
	}
	return nil
}

func utc(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

func selections(selected []notify.Selection) []LineSelected {
	out := make([]LineSelected, len(selected))
	for i, s := range selected {
		out[i] = LineSelected{LineKey(s.Key), list(s.Because)}
	}
	return out
}

func transitions(records []suites.Record) []LineTransition {
	out := make([]LineTransition, len(records))
	for i, r := range records {
		out[i] = LineTransition{LineKey(r.Key()), r.TestName, r.Note}
	}
	return out
}
