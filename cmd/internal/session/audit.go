package session

import (
	"fmt"
	"math/rand/v2"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/selection"
)

// An audited case is one that a selection left out and that is run all the same.
type audited struct {
	because string
	before  suites.Status
}

// An AuditResult is what a run of cases that were left out found about selections.
type AuditResult struct {
	Checked int          // cases that were not affected and run all the same
	Missed  []suites.Key // those of them whose verdict changed
}

// Audit has the next run check what would be left out now: such a case
// whose verdict changes all the same was missed.
func (s *Session) Audit() {
	s.stale()
	for key, because := range s.selector.NotAffected() {
		s.audit(key, because)
	}
}

func (s *Session) audit(k suites.Key, because string) {
	if last := s.present[k]; last != nil && because != selection.NeverRuns {
		s.audited[k] = audited{because, last.status}
		s.auditResult.Checked++
	}
}

// Audited tells what was found out since the last call.
func (s *Session) Audited() AuditResult {
	result := s.auditResult
	s.auditResult = AuditResult{}
	return result
}

// checkAudited compares the verdict of a case that had been left out with the one
// that it was to keep. One that changed makes the case wider: every edit affects it
// nothing from now on.
func (s *Session) checkAudited(e *execution, r *suites.Record) {
	key := e.c.Key()
	a, ok := s.audited[key]
	if !ok {
		return
	}
	delete(s.audited, key)
	if r.Status() == suites.Aborted { // it was not asked after all
		s.auditResult.Checked--
		return
	}
	if a.before == r.Status() {
		return
	}
	s.auditResult.Missed = append(s.auditResult.Missed, key)
	why := fmt.Sprintf("an audit at %s found another verdict after an edit that was taken not to affect it", r.Timestamp)
	s.selector.Widen(key, r.Digests, s.inputs[r.Digests.Inputs], why)
	s.o.View.Handle(notify.Warning{Text: fmt.Sprintf(
		"selection missed %s: %s, then %s, although it was taken as not affected: %s; every edit of what it depends on selects it from now on",
		key, a.before, r.Status(), a.because)})
}

// sample picks some of the cases that the latest selection left out.
func (s *Session) sample(n int) []*suites.Case {
	var out []*suites.Case
	for _, c := range s.p.Cases {
		if because, ok := s.selector.NotAffected()[c.Key()]; ok && because != selection.NeverRuns {
			out = append(out, c)
		}
	}
	rand.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(n, len(out))]
}

// auditSome selects what is to be run, while nothing else is to be done, of the
// cases that the latest save did not affect.
func (w *watch) auditSome() []plan.Selected {
	cases := w.toAudit
	w.toAudit = nil
	for _, c := range cases {
		if because, ok := w.selector.NotAffected()[c.Key()]; ok {
			w.audit(c.Key(), because)
		}
	}
	return plan.WithControls(plan.All(cases, "an audit of the selection"), w.p.Every())
}
