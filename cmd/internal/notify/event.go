// Package notify shows what a session does: every view receives the same
// events, in order, from one goroutine.
package notify

import (
	"time"

	"hookwatch/suites"
)

// An Event is something that a person or a program may want to know.
type Event interface{ event() }

// A View shows events. Handle is called from one goroutine and must not block
// for long; Close flushes what is left.
type View interface {
	Handle(Event)
	Close() error
}

// A Time is written to JSON in UTC with milliseconds.
type Time struct{ time.Time }

// MarshalJSON formats the time.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(t.UTC().Format(`"2006-01-02T15:04:05.000Z07:00"`)), nil
}

// Started describes what a session looks at, once, before anything else.
type Started struct {
	Project   string       `json:"project"` // name for users
	Root      string       `json:"root"`    // absolute path
	Hooks     int          `json:"hooks"`
	Cases     int          `json:"cases"`
	Watched   int          `json:"watched"` // files watched; 0 when not watching
	Isolation string       `json:"isolation"`
	Weaker    string       `json:"isolation_why,omitempty"` // why the isolation is not namespaces
	State     suites.State `json:"state"`                   // before anything ran
	LastFull  Time         `json:"last_full,omitzero"`      // end of the last full run; zero when there was none
}

// Problems lists what is wrong with configuration or suite files; an empty list means
// that nothing is wrong any more. InForce reports that the last good ones still apply.
type Problems struct {
	List    []suites.Problem `json:"problems"`
	InForce bool             `json:"in_force"`
}

// Warning is one line that the user should read; nothing stops because of it.
type Warning struct {
	Text string `json:"text"`
}

// A Change is a file whose content is not what was last run.
type Change struct {
	Path     string   `json:"path"`
	Sections []string `json:"sections,omitempty"`
}

// Changed reports what was saved and which cases that selected. No selection
// means that no case depends on what changed.
type Changed struct {
	At       Time               `json:"at,omitzero"`
	Changes  []Change           `json:"changes"`
	Selected []suites.Selection `json:"selected"`
	// NotAffected are cases that depend on what changed, but are not affected.
	NotAffected []suites.Selection `json:"not_affected"`
	// Uncovered names the places of the change that no case executes, such
	// as "hook.sh: statement changed at lines 3-4 in f".
	Uncovered []string     `json:"uncovered"`
	State     suites.State `json:"state"` // of the cases that there are now
}

// RunStarted opens a run; its cases follow as CaseDone in the order in which
// they finish.
type RunStarted struct {
	RunID string `json:"run_id"`
	Full  bool   `json:"full"`
	Cases int    `json:"cases"` // to run
	Total int    `json:"total"` // in all
	At    Time   `json:"at,omitzero"`
}

// A Transition is how a verdict differs from the one on record before it.
type Transition string

// The transitions. Edited and Explained are failures that are no regression:
// the case's definition changed, or the tools it reaches did.
const (
	Same       Transition = ""
	New        Transition = "new"
	Regression Transition = "regression"
	Resolved   Transition = "resolved"
	Edited     Transition = "edited"
	Explained  Transition = "explained"
)

// CaseDone is one finished case, recorded before it is announced.
type CaseDone struct {
	RunID          string        `json:"run_id"`
	Record         suites.Record `json:"case"`
	suites.Verdict               // its note is the record's
	Effect         string        `json:"effect,omitempty"` // what the client would do with the step that is shown, in words, if known
	Transition     Transition    `json:"transition,omitempty"`
	Tools          []string      `json:"tools,omitempty"`   // that changed and so explain it
	Since          Time          `json:"since,omitzero"`    // when the verdict before this one was recorded
	Rerun          string        `json:"rerun,omitempty"`   // the command that runs just this case again
	Sandbox        string        `json:"sandbox,omitempty"` // kept for a failing case
	Done           int           `json:"done"`              // progress of the run
	Of             int           `json:"of"`

	At      string          `json:"-"` // where the case is defined, as file:line
	Defined suites.Position `json:"-"` // the same
	Script  string          `json:"-"` // the hook, from the project's root; "" where the settings alone say what runs
}

// RunDone closes a run. Records holds what this run produced, in case order.
type RunDone struct {
	RunID     string
	Full      bool
	Tally     suites.Tally // of this run
	State     suites.State // of all cases
	Records   []suites.Record
	Duration  time.Duration
	HookTime  time.Duration // sum over the hooks' own processes
	Aborted   string        // why the run was stopped early; "" when it was not
	Project   string
	Client    string
	Isolation string
	Weaker    string // why the isolation is not namespaces
	StandIns  []string
	At        time.Time
}

// Transitions says what got worse and what got better since the last time this
// was said: settled, reproduced, and at most one a run.
type Transitions struct {
	RunID       string
	Project     string
	Regressions []suites.Record
	Resolved    []suites.Record
}

// Saved says that something was saved. What that means is being worked out.
type Saved struct{}

// Tracing says how far the runs are that find out what cases execute, made while
// nothing else is to be done.
type Tracing struct{ Done, Of int }

// Rested says that nothing is left to be done until something is saved: verdicts
// and news have been told, and what could wait has been done.
type Rested struct{}

// Resized says that the terminal has another size.
type Resized struct{}

func (Resized) event()     {}
func (Saved) event()       {}
func (Rested) event()      {}
func (Tracing) event()     {}
func (Started) event()     {}
func (Problems) event()    {}
func (Warning) event()     {}
func (Changed) event()     {}
func (RunStarted) event()  {}
func (CaseDone) event()    {}
func (RunDone) event()     {}
func (Transitions) event() {}
