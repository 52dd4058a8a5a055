package decide

import (
	"strings"

	"hookwatch/suites"
)

// A Lack describes missing requirements of a full run.
type Lack struct {
	Why     string // "" if nothing is missing
	Missing []string
}

// An Action is the consequence of a Lack for a full run.
type Action int

// The actions.
const (
	Proceed Action = iota + 1
	Warn           // and proceed
	Wait           // for the checks that are still running
	Abort
)

// Absent returns the Lack of required tools that were not found.
func Absent(found []suites.Tool) Lack {
	var l Lack
	for _, t := range found {
		if !t.Present() {
			l.Missing = append(l.Missing, t.Name)
		}
	}
	if len(l.Missing) > 0 {
		l.Why = "preflight: required and absent: " + strings.Join(l.Missing, ", ")
	}
	return l
}

// Lack returns the requirements missing after the required checks have run; found are the
// required tools that no check covers.
func (r *Run) Lack(checks []*suites.Case, found []suites.Tool) Lack {
	reasons, missing := r.failedChecks(checks)
	if absent := Absent(found); absent.Why != "" {
		reasons, missing = append(reasons, absent.Why), append(missing, absent.Missing...)
	}
	return Lack{strings.Join(reasons, ", "), missing}
}

// failedChecks returns the reasons of failed required checks, and their missing tools.
func (r *Run) failedChecks(checks []*suites.Case) (reasons, missing []string) {
	for _, c := range checks {
		v, ran := r.own[c.Key()]
		switch {
		case !ran || v.Status != suites.Fail:
		case v.Reason == suites.ToolAbsent:
			reasons = append(reasons, c.ID+" "+c.Check.Tool+" absent")
			missing = append(missing, c.Check.Tool)
		default:
			reasons = append(reasons, c.ID+" "+v.Note)
		}
	}
	return reasons, missing
}

// Action returns the consequence of a lack. report is set if the project only wants a warning;
// underway is set while other checks are still running.
func (l Lack) Action(report, underway bool) Action {
	switch {
	case l.Why == "":
		return Proceed
	case report:
		return Warn
	case underway:
		return Wait
	default:
		return Abort
	}
}

// Warning returns the text of a lack that is only reported.
func (l Lack) Warning() string { return "preflight: " + strings.TrimPrefix(l.Why, "preflight: ") }
