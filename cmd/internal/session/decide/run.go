// Package decide holds the verdicts of cases and the decisions of the loop: how a verdict differs
// from the previous one, whether a case runs again, whether a run continues, and which results
// are reported. It is pure: values in, values out, no files, no clock, no goroutines.
package decide

import (
	"slices"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/verdict"
)

// A Run is the run in progress.
type Run struct {
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

// NewRun returns a new run.
func NewRun(id string, full bool, started time.Time) *Run {
	return &Run{
		ID: id, Full: full, Started: started,
		planned: make(map[suites.Key]bool),
		own:     make(map[suites.Key]suites.Verdict),
		records: make(map[suites.Key]suites.Record),
		tries:   make(map[suites.Key]int),
	}
}

// Plan makes a case part of the run, without a verdict.
func (r *Run) Plan(k suites.Key) {
	r.planned[k] = true
	delete(r.own, k)
	delete(r.records, k)
}

// Drop removes a case from the run.
func (r *Run) Drop(k suites.Key) {
	delete(r.planned, k)
	delete(r.records, k)
}

// Planned returns the keys of those cases that are part of the run.
func (r *Run) Planned(cases []*suites.Case) (out []suites.Key) {
	for _, c := range cases {
		if r.planned[c.Key()] {
			out = append(out, c.Key())
		}
	}
	return out
}

// Of returns the number of cases in the run.
func (r *Run) Of() int { return len(r.planned) }

// Done returns the number of cases with a record.
func (r *Run) Done() int { return len(r.records) }

// Judge stores a case's own verdict.
func (r *Run) Judge(k suites.Key, v suites.Verdict) { r.own[k] = v }

// Add adds a record.
func (r *Run) Add(rec suites.Record) { r.records[rec.Key()] = rec }

// Records returns the records of the run, sorted by the order of their cases.
func (r *Run) Records(order func(suites.Key) int) []suites.Record {
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
func (r *Run) Next(k suites.Key, superseded, disturbed, there bool) plan.Next {
	next := plan.Ended(superseded, disturbed, r.tries[k], there)
	if next != plan.Conclude && !superseded {
		r.tries[k]++
	}
	return next
}

// Proven returns a case's own verdict combined with that of its control. ok is false while the
// control has no verdict yet, or if the run ends without one.
func (r *Run) Proven(c *suites.Case, v suites.Verdict, pending func(suites.Key) bool) (proven suites.Verdict, ok bool) {
	control, has := plan.ControlOf(c)
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
