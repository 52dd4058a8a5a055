package decide

import (
	"strings"

	"hookwatch/suites"
)

// A Lack is what a full run requires and does not have.
type Lack struct {
	Why     string // "": nothing is lacking
	Missing []string
}

// An Action is what a lack means for a full run.
type Action int

// The actions.
const (
	Proceed Action = iota + 1
	Warn           // and proceed
	Wait           // for the checks that are still under way
	Abort
)

// Absent says which of the required tools are not there.
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

// Lack says what is lacking when the required checks have run, found being the
// required tools that no check is about.
func (r *Run) Lack(checks []*suites.Case, found []suites.Tool) Lack {
	reasons, missing := r.failedChecks(checks)
	if absent := Absent(found); absent.Why != "" {
		reasons, missing = append(reasons, absent.Why), append(missing, absent.Missing...)
	}
	return Lack{strings.Join(reasons, ", "), missing}
}

// failedChecks says of each required check that failed what it lacks.
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

// Action decides what a lack means where the project wants it only reported or not;
// underway tells that other checks are.
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

// Warning says what is lacking where that is only reported.
func (l Lack) Warning() string { return "preflight: " + strings.TrimPrefix(l.Why, "preflight: ") }
