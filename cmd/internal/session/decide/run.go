// Package decide holds the verdicts of cases and the decisions of the loop: what a verdict
// changes, whether a case runs again, whether a run continues, and what is reported. It is
// pure: values in, values out, no files, no clock, no goroutines.
package decide

import (
	"slices"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/verdict"
)

// A Run is the one in progress.
type Run struct {
	ID       string
	Full     bool
	Started  time.Time
	HookTime time.Duration
	Aborted  string         // why it ends before its time
	Missing  []string       // tools for want of which it was aborted
	Fault    error          // why the machine did not let a case run, the first of them
	Behind   []*suites.Case // wait for the preflight
	Cut      bool           // ends before its time: what still waits for a control has no verdict
	Quiet    bool           // reproduces failures: shown only where it finds something else

	planned map[suites.Key]bool
	own     map[suites.Key]suites.Verdict // before controls are asked
	records map[suites.Key]suites.Record
	tries   map[suites.Key]int
}

// NewRun opens a run.
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

// Drop takes a case out of the run.
func (r *Run) Drop(k suites.Key) {
	delete(r.planned, k)
	delete(r.records, k)
}

// Planned lists those of the keys that are part of the run.
func (r *Run) Planned(cases []*suites.Case) (out []suites.Key) {
	for _, c := range cases {
		if r.planned[c.Key()] {
			out = append(out, c.Key())
		}
	}
	return out
}

// Of is how many cases the run has.
func (r *Run) Of() int { return len(r.planned) }

// Done is how many of them have a record.
func (r *Run) Done() int { return len(r.records) }

// Judge notes a case's own verdict.
func (r *Run) Judge(k suites.Key, v suites.Verdict) { r.own[k] = v }

// Add notes a record.
func (r *Run) Add(rec suites.Record) { r.records[rec.Key()] = rec }

// Records lists what the run produced, in an order of cases.
func (r *Run) Records(order func(suites.Key) int) []suites.Record {
	out := make([]suites.Record, 0, len(r.records))
	for _, rec := range r.records {
		out = append(out, rec)
	}
	slices.SortFunc(out, func(a, b suites.Record) int { return order(a.Key()) - order(b.Key()) })
	return out
}

// Next decides what becomes of a case that has run: superseded, or not but disturbed;
// there tells whether the project still has it.
func (r *Run) Next(k suites.Key, superseded, disturbed, there bool) plan.Next {
	next := plan.Ended(superseded, disturbed, r.tries[k], there)
	if next != plan.Conclude && !superseded {
		r.tries[k]++
	}
	return next
}

// Proven is a case's own verdict with its control's taken into account; not ok while
// the control's is still to come, or where the run ends without it.
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
		return suites.Verdict{}, false // and never will be
	}
	missing := suites.Verdict{Status: suites.Fail, Note: "was not run"}
	return verdict.Prove(v, control, missing), true
}
