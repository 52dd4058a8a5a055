package engine

import (
	"math/rand/v2"

	"hookwatch/cmd/internal/engine/decide"
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/selection"
)

// Audit lets the next run check every case that a selection would leave out now:
// one whose verdict changes all the same was missed.
func (e *Engine) Audit() {
	selected := make(map[suites.Key]bool)
	for _, s := range e.Stale() {
		selected[s.Case.Key()] = true
	}
	for _, c := range e.p.Cases {
		if k := c.Key(); !selected[k] {
			e.auditCase(k)
		}
	}
}

// auditCase lets the next verdict of a case be compared with the one that it has.
func (e *Engine) auditCase(k suites.Key) {
	if last := e.known.Verdicts.Present(k); last != nil && e.known.LeftOut(k) != selection.NeverRuns {
		e.audit.Add(k, e.known.LeftOut(k), last)
	}
}

// Audited tells what was found out since the last call.
func (e *Engine) Audited() decide.AuditResult { return e.audit.Take() }

// sample picks some of the cases that the latest selection left out.
func (e *Engine) sample(n int) []*suites.Case {
	if n == 0 {
		return nil
	}
	var out []*suites.Case
	for _, c := range e.p.Cases {
		if k := c.Key(); !e.pending(k) && e.held[k] == nil && e.known.LeftOut(k) != selection.NeverRuns {
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
		w.auditCase(c.Key())
	}
	return plan.WithControls(plan.All(cases, "an audit of the selection"), w.p.Every())
}
