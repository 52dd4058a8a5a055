package session

import (
	"context"

	"hookwatch/suites/conform"
	"hookwatch/suites/run"
)

// A CheckFunc judges the registered hooks of a project. It fires only those that changed since its last
// call.
type CheckFunc func(context.Context, *Project, *run.Runner) ([]conform.Finding, error)

// checking holds the checks of a watch, one after each save.
type checking struct {
	due      bool
	done     chan *checkRun // of the check in progress; nil if none
	findings []conform.Finding
}

// A checkRun is one check.
type checkRun struct {
	findings []conform.Finding
	err      error
}

// checkNext starts the check that is due, and reports whether there is one.
func (w *watch) checkNext(ctx context.Context) bool {
	if !w.checks.due || w.session.equipment.Isolation().Refused() != nil {
		return false
	}
	w.idle.ctx, w.idle.cancel = context.WithCancel(ctx)
	w.checks.done = make(chan *checkRun, 1)
	p, r, done, ctx := w.session.project, w.session.equipment.Runner, w.checks.done, w.idle.ctx
	w.session.busy.start(w.session.opts.Now())
	go func() {
		findings, err := w.in.Check(ctx, p, r)
		done <- &checkRun{findings, err}
	}()
	return true
}

// checked sends what a check found, and continues. After a save that interrupted it, it starts again when
// nothing else is to do.
func (w *watch) checked(ctx context.Context, t *checkRun) {
	w.session.busy.stop(w.session.opts.Now())
	over := w.idle.ctx.Err() != nil
	w.idle.cancel()
	w.idle.cancel, w.checks.done = nil, nil
	if !over {
		w.checks.due = false
		if t.err != nil {
			w.session.warnError(t.err)
		} else {
			w.checks.findings = t.findings
			w.present()
		}
	}
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
