package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// A currentRun is the run in progress.
type currentRun struct {
	ID       string
	Full     bool
	Started  time.Time
	HookTime time.Duration
	Aborted  string         // why it ends early
	Missing  []string       // required tools whose absence aborted the run
	Fault    error          // first reason why the machine could not run a case
	Behind   []*suites.Case // waiting for the preflight
	Cut      bool           // ends early: cases still waiting for a control get no verdict
	Quiet    bool           // only reproduces failures: shown only if a result differs

	planned map[suites.Key]bool
	own     map[suites.Key]suites.Verdict // before controls are considered
	records map[suites.Key]suites.Record
	tries   map[suites.Key]int
}

// newRun returns a new run.
func newRun(id string, full bool, started time.Time) *currentRun {
	return &currentRun{
		ID: id, Full: full, Started: started,
		planned: make(map[suites.Key]bool),
		own:     make(map[suites.Key]suites.Verdict),
		records: make(map[suites.Key]suites.Record),
		tries:   make(map[suites.Key]int),
	}
}

// Plan makes a case part of the run, without a verdict.
func (r *currentRun) Plan(k suites.Key) {
	r.planned[k] = true
	delete(r.own, k)
	delete(r.records, k)
}

// Drop removes a case from the run.
func (r *currentRun) Drop(k suites.Key) {
	delete(r.planned, k)
	delete(r.records, k)
}

// Planned returns the keys of those cases that are part of the run.
func (r *currentRun) Planned(cases []*suites.Case) (out []suites.Key) {
	for _, c := range cases {
		if r.planned[c.Key()] {
			out = append(out, c.Key())
		}
	}
	return out
}

// Of returns the number of cases in the run.
func (r *currentRun) Of() int { return len(r.planned) }

// Done returns the number of cases with a record.
func (r *currentRun) Done() int { return len(r.records) }

// Judge stores a case's own verdict.
func (r *currentRun) Judge(k suites.Key, v suites.Verdict) { r.own[k] = v }

// Add adds a record.
func (r *currentRun) Add(rec suites.Record) { r.records[rec.Key()] = rec }

// Records returns the records of the run, sorted by the order of their cases.
func (r *currentRun) Records(order func(suites.Key) int) []suites.Record {
	out := make([]suites.Record, 0, len(r.records))
	for _, rec := range r.records {
		out = append(out, rec)
	}
	slices.SortFunc(out, func(a, b suites.Record) int { return order(a.Key()) - order(b.Key()) })
	return out
}

// Next decides how a case that has run continues. superseded is set if its content became
// outdated while it ran, disturbed if its inputs changed; there reports whether the project still
// has the case.
func (r *currentRun) Next(k suites.Key, superseded, disturbed, there bool) verdict.Next {
	next := verdict.Ended(superseded, disturbed, r.tries[k], there)
	if next != verdict.Conclude && !superseded {
		r.tries[k]++
	}
	return next
}

// Proven returns a case's own verdict combined with that of its control. ok is false while the
// control has no verdict yet, or if the run ends without one.
func (r *currentRun) Proven(c *suites.Case, v suites.Verdict, pending func(suites.Key) bool) (proven suites.Verdict, ok bool) {
	control, has := verdict.ControlOf(c)
	if !has || v.Status != suites.Pass {
		return v, true
	}
	own, judged := r.own[control]
	switch {
	case pending(control):
		return suites.Verdict{}, false
	case judged:
		return verdict.Prove(v, control, own), true
	case r.Cut:
		return suites.Verdict{}, false // the control will not run any more
	}
	missing := suites.Verdict{Status: suites.Fail, Note: "was not run"}
	return verdict.Prove(v, control, missing), true
}

// A lack describes missing requirements of a full run.
type lack struct {
	Why     string // "" if nothing is missing
	Missing []string
}

// A lackAction is the consequence of a lack for a full run.
type lackAction int

// The actions.
const (
	lackProceed lackAction = iota + 1
	lackWarn               // and proceed
	lackWait               // for the checks that are still running
	lackAbort
)

// absentTools returns the lack of required tools that were not found.
func absentTools(found []suites.Tool) lack {
	var l lack
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
func (r *currentRun) Lack(checks []*suites.Case, found []suites.Tool) lack {
	reasons, missing := r.failedChecks(checks)
	if absent := absentTools(found); absent.Why != "" {
		reasons, missing = append(reasons, absent.Why), append(missing, absent.Missing...)
	}
	return lack{strings.Join(reasons, ", "), missing}
}

// failedChecks returns the reasons of failed required checks, and their missing tools.
func (r *currentRun) failedChecks(checks []*suites.Case) (reasons, missing []string) {
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
func (l lack) Action(report, underway bool) lackAction {
	switch {
	case l.Why == "":
		return lackProceed
	case report:
		return lackWarn
	case underway:
		return lackWait
	default:
		return lackAbort
	}
}

// Warning returns the text of a lack that is only reported.
func (l lack) Warning() string { return "preflight: " + strings.TrimPrefix(l.Why, "preflight: ") }

// An audit checks cases that a selection left out and that run nevertheless.
type audit struct {
	cases  map[suites.Key]leftOut
	result AuditResult
}

type leftOut struct {
	because string
	before  suites.Status
}

// An AuditResult counts the cases that an audit checked, and lists wrong selections.
type AuditResult struct {
	Checked int          // cases that were unaffected and ran nevertheless
	Missed  []suites.Key // checked cases whose verdict changed
}

// newAudit returns an audit without cases.
func newAudit() *audit { return &audit{cases: make(map[suites.Key]leftOut)} }

// Add adds a case that was left out because of a reason, with the verdict it is expected to keep.
func (a *audit) Add(k suites.Key, because string, last *keptVerdict) {
	a.cases[k] = leftOut{because, last.Status}
	a.result.Checked++
}

// Check compares the new verdict of a case with the expected one. If it differs, Check returns
// the reason why every edit must select the case from now on, and a warning for the user.
func (a *audit) Check(k suites.Key, r *suites.Record) (widen, warning string) {
	c, ok := a.cases[k]
	if !ok {
		return "", ""
	}
	delete(a.cases, k)
	if r.Status() == suites.Aborted { // an aborted case was not checked
		a.result.Checked--
		return "", ""
	}
	if c.before == r.Status() {
		return "", ""
	}
	a.result.Missed = append(a.result.Missed, k)
	return fmt.Sprintf("an audit at %s found another verdict after an edit that was taken not to affect it", r.Timestamp),
		fmt.Sprintf("selection missed %s: %s, then %s, although it was taken as not affected: %s; every edit of what it depends on selects it from now on",
			k, c.before, r.Status(), c.because)
}

// Take returns the results since the last call.
func (a *audit) Take() AuditResult {
	result := a.result
	a.result = AuditResult{}
	return result
}

// ForgetGone discards removed cases.
func (a *audit) ForgetGone(gone func(suites.Key) bool) {
	maps.DeleteFunc(a.cases, func(k suites.Key, _ leftOut) bool { return gone(k) })
}
