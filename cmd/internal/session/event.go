package session

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/printable"
)

// An Event is something that a user or a program may want to know.
type Event interface{ event() }

// A View shows events. Handle is called from one goroutine and must not block for long; Close
// flushes remaining output.
type View interface {
	Handle(Event)
	Close() error
}

// A Time is encoded in JSON in UTC with milliseconds.
type Time struct{ time.Time }

// MarshalJSON formats the time.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(t.UTC().Format(`"2006-01-02T15:04:05.000Z07:00"`)), nil
}

// Started describes the project of a session, once, before any other event.
type Started struct {
	Project   string       `json:"project"` // name for users
	Root      string       `json:"root"`    // absolute path
	Hooks     int          `json:"hooks"`
	Cases     int          `json:"cases"`
	NoSuite   bool         `json:"no_suite"` // the cases are those of registered hooks, and inputs that these stop
	Watched   int          `json:"watched"`  // files watched; 0 if not watching
	Isolation string       `json:"isolation"`
	Weaker    string       `json:"isolation_why,omitempty"` // why the isolation is not namespaces
	State     suites.State `json:"state"`                   // before anything ran
	LastFull  Time         `json:"last_full,omitzero"`      // end of the last full run; zero if there was none
}

// Problems lists problems with configuration or suite files; an empty list means that all are
// solved. InForce reports that the last valid files still apply.
type Problems struct {
	List    []suites.Problem `json:"problems"`
	InForce bool             `json:"in_force"`
}

// Warning is one line that the user should read; nothing stops because of it.
type Warning struct {
	Text string `json:"text"`
}

// A Change is a file whose content differs from the last run.
type Change struct {
	Path     string   `json:"path"`
	Sections []string `json:"sections,omitempty"`
}

// Changed reports saved files and the cases they selected. If no case is selected, none depends
// on the changes or none is affected.
type Changed struct {
	At       Time               `json:"at,omitzero"`
	Changes  []Change           `json:"changes"`
	Selected []suites.Selection `json:"selected"`
	// NotAffected are cases that depend on changed files, but are not affected.
	NotAffected []suites.Selection `json:"not_affected"`
	// Uncovered names changed places that no case executes, such as "hook.sh: statement changed
	// at lines 3-4 in f".
	Uncovered []string     `json:"uncovered"`
	State     suites.State `json:"state"` // of the current cases
}

// Present lists what is wrong now: the cases that fail, in their order, and what a check of the hooks
// found. A watching session that checks (see WatchOptions.Check) sends it after each run and each check.
type Present struct {
	Failed   []suites.Key
	Findings []check.Finding
}

// RunStarted starts a run; its cases follow as CaseDone in the order in which they finish.
type RunStarted struct {
	RunID string `json:"run_id"`
	Full  bool   `json:"full"`
	Cases int    `json:"cases"` // to run
	Total int    `json:"total"` // in the project
	At    Time   `json:"at,omitzero"`
}

// A Transition is the difference between a verdict and the one recorded before it.
type Transition string

// The transitions. Edited and Explained are failures that are no regression, because the case's
// definition or its tools changed.
const (
	Same       Transition = ""
	First      Transition = "new"
	Regression Transition = "regression"
	Resolved   Transition = "resolved"
	Edited     Transition = "edited"
	Explained  Transition = "explained"
)

// CaseDone is one finished case, recorded before it is announced.
type CaseDone struct {
	RunID          string        `json:"run_id"`
	Record         suites.Record `json:"case"`
	suites.Verdict               // with the note of the record
	Effect         string        `json:"effect,omitempty"`     // the client's reaction to the step shown, in words, if known
	Remedy         string        `json:"remedy,omitempty"`     // what to do about that reaction
	Registered     string        `json:"registered,omitempty"` // where the hook that the case fires is registered, as file:line:column
	Fault          string        `json:"fault,omitempty"`      // the line of a script that made it fail, if known, as file:line
	Transition     Transition    `json:"transition,omitempty"`
	Tools          []string      `json:"tools,omitempty"`   // changed tools that explain it
	Since          Time          `json:"since,omitzero"`    // time of the previous verdict
	Rerun          string        `json:"rerun,omitempty"`   // the command that runs only this case again
	Sandbox        string        `json:"sandbox,omitempty"` // kept for a failing case
	Done           int           `json:"done"`              // progress of the run
	Of             int           `json:"of"`

	At      string          `json:"-"` // where the case is defined, as file:line
	Defined suites.Position `json:"-"` // the same
	FaultAt suites.Position `json:"-"` // as Fault
	Script  string          `json:"-"` // the hook, relative to the root; "" if it is only in the settings
	Order   int             `json:"-"` // position of the case among all of the project
}

// Running is sent every second of a run: the cases that are being executed, the longest first.
type Running struct {
	Cases    []RunningCase
	Done, Of int
}

// A RunningCase is a case that is being executed.
type RunningCase struct {
	ID  string
	For time.Duration // since its start
}

// RunDone ends a run. Records holds the records of this run, in case order.
type RunDone struct {
	RunID     string
	Full      bool
	Tally     suites.Tally // of this run
	State     suites.State // of all cases
	Records   []suites.Record
	Duration  time.Duration
	HookTime  time.Duration // sum over the hooks' own processes
	Aborted   string        // why the run was stopped early, or ""
	Project   string
	Client    string
	Isolation string
	Weaker    string // why the isolation is not namespaces
	StandIns  []string
	At        time.Time
}

// Transitions lists regressions and resolved failures since the previous Transitions: settled,
// reproduced, and at most one per run.
type Transitions struct {
	RunID       string
	Project     string
	Regressions []suites.Record
	Resolved    []suites.Record
}

// Saved reports a save whose effect is not known yet.
type Saved struct{}

// Tracing is the progress of runs that trace cases while nothing else is to do.
type Tracing struct{ Done, Of int }

// Proved is a text about a guard that was searched for ways around, in lines. A regression is a way
// around that the guard stopped before the last save.
type Proved struct {
	Transition Transition
	Text       string
}

// Rested reports that nothing is left to do until the next save: verdicts and news were
// announced, and background work is complete.
type Rested struct{}

// Resized reports that the size of the terminal changed.
type Resized struct{}

func (Resized) event()     {}
func (Saved) event()       {}
func (Rested) event()      {}
func (Proved) event()      {}
func (Tracing) event()     {}
func (Running) event()     {}
func (Started) event()     {}
func (Problems) event()    {}
func (Warning) event()     {}
func (Changed) event()     {}
func (Present) event()     {}
func (RunStarted) event()  {}
func (CaseDone) event()    {}
func (RunDone) event()     {}
func (Transitions) event() {}

// Multi returns a view that passes every event to each of the views, in the given order. Close
// closes all of them in that order and joins their errors. Nil views are skipped.
func Multi(views ...View) View {
	var m multi
	for _, v := range views {
		if v != nil {
			m = append(m, v)
		}
	}
	return m
}

type multi []View

func (m multi) Handle(e Event) {
	for _, v := range m {
		v.Handle(e)
	}
}

func (m multi) Close() error {
	var errs []error
	for _, v := range m {
		errs = append(errs, v.Close())
	}
	return errors.Join(errs...)
}

// IDs lists cases briefly, with ranges for consecutive ones: "P01-P03 M07".
func IDs(ids []string) string { return printable.Field(strings.Join(suites.ShortenIDs(ids), " ")) }

// Count returns a number with its noun: "1 case", "2 cases".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Label returns the ID and the name of a case for users.
func Label(r suites.Record) string {
	name := printable.Name(r.TestName)
	if r.ID == "" || r.ID == r.TestName {
		return name
	}
	return strings.TrimSuffix(printable.Name(r.ID)+" "+name, " ")
}
