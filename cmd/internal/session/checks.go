package session

import (
	"context"

	"hookwatch/suites/check"
)

// checking holds the checks of a watch, one after each save.
type checking struct {
	due      bool
	findings []check.Finding
}

// checkNext starts the check that is due, and reports whether there is one. After a save that interrupts
// it, it starts again when nothing else is to do.
func (w *watch) checkNext(ctx context.Context) bool {
	if !w.checks.due || w.session.equipment.Isolation().Refusal() != nil {
		return false
	}
	p, r := w.session.project, w.session.equipment.Runner
	w.background(ctx, func(ctx context.Context) func(bool) {
		findings, err := w.in.Check(ctx, p, r)
		return func(over bool) {
			if over {
				return
			}
			if w.checks.due = false; err != nil {
				w.session.warnError(err)
				return
			}
			w.checks.findings = findings
			w.present()
		}
	})
	return true
}

// present sends what is wrong now to a view that shows what a check finds.
func (w *watch) present() {
	if w.in.Check == nil {
		return
	}
	e := Present{Findings: w.checks.findings}
	for _, c := range w.session.knowledge.Verdicts.FailedCases(w.session.project.Cases) {
		e.Failed = append(e.Failed, c.Key())
	}
	w.session.opts.View.Handle(e)
}
