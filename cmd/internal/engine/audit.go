package engine

import (
	"math/rand/v2"

	"hookwatch/cmd/internal/engine/decide"
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/selection"
)

// Audit has the next run check what would be left out now: such a case
// whose verdict changes all the same was missed.
func (e *Engine) Audit() {
	e.Stale()
	for k, because := range e.known.Selector.NotAffected() {
		e.auditCase(k, because)
	}
}

func (e *Engine) auditCase(k suites.Key, because string) {
	if last := e.known.Verdicts.Present(k); last != nil && because != selection.NeverRuns {
		e.audit.Add(k, because, last)
	}
}

// Audited tells what was found out since the last call.
func (e *Engine) Audited() decide.AuditResult { return e.audit.Take() }

// sample picks some of the cases that the latest selection left out.
func (e *Engine) sample(n int) []*suites.Case {
	var out []*suites.Case
	for _, c := range e.p.Cases {
		if because, ok := e.known.Selector.NotAffected()[c.Key()]; ok && because != selection.NeverRuns {
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
		if because, ok := w.known.Selector.NotAffected()[c.Key()]; ok {
			w.auditCase(c.Key(), because)
		}
	}
	return plan.WithControls(plan.All(cases, "an audit of the selection"), w.p.Every())
}
