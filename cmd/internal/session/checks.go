package session

import (
	"context"

	"hookwatch/suites/conform"
)

// checking holds the checks of a watch, one after each save.
type checking struct {
	due      bool
	done     chan func() // takes the result of the check in progress; nil if there is none
	findings []conform.Finding
}

// checkNext starts the check that is due, and reports whether there is one. After a save that interrupts
// it, it starts again when nothing else is to do.
func (w *watch) checkNext(ctx context.Context) bool {
	if !w.checks.due || w.session.equipment.Isolation().Refused() != nil {
		return false
	}
	w.idle.ctx, w.idle.cancel = context.WithCancel(ctx)
	w.checks.done = make(chan func(), 1)
	p, r, done, ctx := w.session.project, w.session.equipment.Runner, w.checks.done, w.idle.ctx
	w.session.busy.start(w.session.opts.Now())
	go func() {
		findings, err := w.in.Check(ctx, p, r)
		done <- func() {
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				w.session.warnError(err)
			default:
				w.checks.findings = findings
				w.present()
			}
			w.checks.due = false
		}
	}()
	return true
}

// checked takes the result of a check, and continues.
func (w *watch) checked(ctx context.Context, take func()) {
	w.session.busy.stop(w.session.opts.Now())
	take()
	w.idle.cancel()
	w.idle.cancel, w.checks.done = nil, nil
	w.whileIdle(ctx)
}

// present sends what is wrong now to a view that shows what a check finds.
func (w *watch) present() {
	if w.in.Check == nil {
		return
	}
	e := Present{Findings: w.checks.findings}
	for _, c := range w.session.knowledge.Verdicts.Failed(w.session.project.Cases) {
		e.Failed = append(e.Failed, c.Key())
	}
	w.session.opts.View.Handle(e)
}
