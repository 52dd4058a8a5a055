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

// PlannedKeys returns the keys of those cases that are part of the run.
func (r *currentRun) PlannedKeys(cases []*suites.Case) (out []suites.Key) {
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
	next := verdict.Finish(superseded, disturbed, r.tries[k], there)
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

// ownCases returns the selection without cases that already wait because of other files than the
// ones changed now, because each save reports only its own cases.
func ownCases(selected []verdict.Selected, changed []string, waits func(suites.Key) bool) []verdict.Selected {
	return slices.DeleteFunc(slices.Clone(selected), func(s verdict.Selected) bool {
		return waits(s.Case.Key()) && !slices.ContainsFunc(s.Changed, func(in suites.Input) bool { return slices.Contains(changed, in.Path) })
	})
}

// atRest holds the digests of changed files from the last time nothing was left to run.
type atRest struct {
	rest   map[string]string // digests
	latest map[string]string // current digests
}

// Same records a change of a file's digest, and reports whether the content is the same as when
// nothing was left to run.
func (a *atRest) Same(path, was, digest string) bool {
	if _, seen := a.rest[path]; !seen {
		a.rest[path] = was
	}
	a.latest[path] = digest
	return a.rest[path] == digest
}

// Rest records that nothing is left to run. Missing files are treated like unknown ones.
func (a *atRest) Rest() {
	maps.Copy(a.rest, a.latest)
	maps.DeleteFunc(a.rest, func(_, digest string) bool { return digest == "" })
	clear(a.latest)
}

// pastDigests returns the digests that a new selection compares: those of the case in progress,
// or else those of its recorded verdict. A retracted verdict has no inputs digest.
func pastDigests(underway *suites.Digests, last *keptVerdict, retracted bool) verdict.Past {
	if underway != nil {
		return verdict.Past{Known: true, Digests: *underway}
	}
	if !last.HasResult() || last.Digests.Case == "" {
		return verdict.Past{}
	}
	past := verdict.Past{Known: true, Digests: last.Digests}
	if retracted {
		past.Digests.Inputs = ""
	}
	return past
}

// transition returns how a record differs from before, the latest verdict of the case in the same
// definition. seen is set if there is a verdict in any definition, first if nothing was known of
// the project. explain reports whether a tool in both sets that concerns the case has changed.
func transition(before *keptVerdict, seen, first bool, now suites.Record, explain func(before, now string) bool) verdict.Kind {
	switch {
	case before != nil:
		return verdict.Turn(before.Status, now.Status(), before.Digests, now.Digests, explain)
	case seen:
		return verdict.Edited
	case !first:
		return verdict.ArrivalOf(&now)
	default:
		return verdict.Added
	}
}

// shownInRun reports whether a verdict is shown. In a quiet run, which only reproduces failures,
// it is shown only if it differs from the previous verdict: then the case is flaky.
func shownInRun(quiet bool, previous *keptVerdict, now suites.Status) (show, flaky bool) {
	flaky = quiet && previous != nil && previous.Status != now
	return !quiet || flaky, flaky
}

// toReproduce returns the failures to run again before they are announced. This is done only once,
// because a case that changes its own inputs never fails twice on the same content.
func toReproduce(unconfirmed []*suites.Case, done bool) []*suites.Case {
	if done {
		return nil
	}
	return unconfirmed
}

// sameResult reports whether a run of a case had the same result as the recorded one.
func sameResult(last *keptVerdict, c *suites.Case, o suites.Outcome, v suites.Verdict) bool {
	if v.Status.OK() != last.Status.OK() && last.Status != suites.Unproven {
		return false
	}
	i := shownStep(c, v)
	return i < len(o.Results) && printedBy(o.Results[i]) == last.Printed
}
