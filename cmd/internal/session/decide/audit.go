package decide

import (
	"fmt"
	"maps"

	"hookwatch/suites"
)

// An Audit holds cases that a selection left out and that are run all the same.
type Audit struct {
	cases  map[suites.Key]leftOut
	result AuditResult
}

type leftOut struct {
	because string
	before  suites.Status
}

// An AuditResult is what a run of cases that were left out found about selections.
type AuditResult struct {
	Checked int          // cases that were not affected and run all the same
	Missed  []suites.Key // those of them whose verdict changed
}

// NewAudit makes an audit of no case.
func NewAudit() *Audit { return &Audit{cases: make(map[suites.Key]leftOut)} }

// Add has the audit check a case that was left out for a reason, with a verdict that
// it is to keep.
func (a *Audit) Add(k suites.Key, because string, last *Verdict) {
	a.cases[k] = leftOut{because, last.Status}
	a.result.Checked++
}

// Check compares the verdict of a case that had been left out with the one that it was
// to keep. Of one that changed it gives why every edit affects the case from now on,
// and what a person is told.
func (a *Audit) Check(k suites.Key, r *suites.Record) (widen, told string) {
	c, ok := a.cases[k]
	if !ok {
		return "", ""
	}
	delete(a.cases, k)
	if r.Status() == suites.Aborted { // it was not asked after all
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

// Take gives what was found out since the last call.
func (a *Audit) Take() AuditResult {
	result := a.result
	a.result = AuditResult{}
	return result
}

// ForgetGone gives up cases that are no more.
func (a *Audit) ForgetGone(gone func(suites.Key) bool) {
	maps.DeleteFunc(a.cases, func(k suites.Key, _ leftOut) bool { return gone(k) })
}
