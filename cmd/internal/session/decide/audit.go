package decide

import (
	"fmt"
	"maps"

	"hookwatch/suites"
)

// An Audit checks cases that a selection left out and that run nevertheless.
type Audit struct {
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

// NewAudit returns an audit without cases.
func NewAudit() *Audit { return &Audit{cases: make(map[suites.Key]leftOut)} }

// Add adds a case that was left out because of a reason, with the verdict it is expected to keep.
func (a *Audit) Add(k suites.Key, because string, last *Verdict) {
	a.cases[k] = leftOut{because, last.Status}
	a.result.Checked++
}

// Check compares the new verdict of a case with the expected one. If it differs, Check returns
// the reason why every edit must select the case from now on, and a warning for the user.
func (a *Audit) Check(k suites.Key, r *suites.Record) (widen, told string) {
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
func (a *Audit) Take() AuditResult {
	result := a.result
	a.result = AuditResult{}
	return result
}

// ForgetGone discards removed cases.
func (a *Audit) ForgetGone(gone func(suites.Key) bool) {
	maps.DeleteFunc(a.cases, func(k suites.Key, _ leftOut) bool { return gone(k) })
}
