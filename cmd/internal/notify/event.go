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

// Started says what a session looks at, once, before anything else.
type Started struct {
	Project   string // the project's name, for people
	Root      string // absolute path
	Hooks     int
	Cases     int
	Watched   int // files watched; 0 when not watching
	Isolation string
	Weaker    string       // why the isolation is not namespaces
	State     suites.State // before anything ran
	LastFull  time.Time    // end of the last full run; zero when there was none
}

// Problems says what is wrong with configuration or suite files. InForce tells
// that the last good ones still hold; an empty list that all is well again.
type Problems struct {
	List    []suites.Problem
	InForce bool
}

// Warning is one line a person should read; nothing stops because of it.
type Warning struct{ Text string }

// A Change is a file whose content is not what was last run.
type Change struct {
	Path     string   `json:"path"`
	Sections []string `json:"sections,omitempty"`
}

// A Selection is a case chosen to run, and why.
type Selection struct {
	Key     suites.Key
	Because []string
}

// Changed says what was saved and which cases that selected. No selection
// means that no case depends on what changed.
type Changed struct {
	At          time.Time
	Changes     []Change
	Selected    []Selection
	NotAffected []Selection // cases that depend on what changed, but for a reason are not affected
	// Uncovered names the places of the change that no case executes, such
	// as "hook.sh: statement changed at lines 3-4 in f".
	Uncovered []string
	State     suites.State // of the cases that there are now
}

// RunStarted opens a run; its cases follow as CaseDone in the order in which
// they finish.
type RunStarted struct {
	RunID string
	Full  bool
	Cases int // to run
	Total int // in all
	At    time.Time
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
	RunID      string
	Record     suites.Record
	Verdict    suites.Verdict
	Effect     string          // what the client would do with the step that is told, in words, when it is known
	At         string          // where the case is defined, as file:line
	Defined    suites.Position // the same
	Script     string          // the hook, from the project's root; "" where the settings alone say what runs
	Transition Transition
	Tools      []string  // that changed and so explain it
	Since      time.Time // when the verdict before this one was recorded
	Rerun      string    // the command that runs just this case again
	Sandbox    string    // kept for a failing case; "" otherwise
	Done, Of   int       // progress of the run
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
