package cli

import (
	"context"
	"errors"
	"fmt"

	"hookwatch/cmd/internal/engine"
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/plan"
)

// runOnce runs what choose selects and turns the result into an error.
func (a *app) runOnce(ctx context.Context, p *project.Project, choose func(*opened) ([]plan.Selected, bool, error)) error {
	log := a.log()
	// Where nobody watches, as in CI, there often is no desktop to miss.
	view := a.view(p, false, func(text string) { log.Debug().Msg(text) })
	o, err := a.open(p, view, a.openRecords(p.Config), true)
	if err != nil {
		return errors.Join(err, view.Close())
	}
	defer o.close()
	view.Handle(o.started())
	selected, full, err := choose(o)
	if err != nil {
		return errors.Join(err, view.Close())
	}
	sum := o.Once(ctx, selected, full)
	o.Announce(sum.RunID)
	if a.audit {
		told := o.Audited()
		view.Handle(notify.Warning{Text: fmt.Sprintf("audit: of %s that a selection would have left out, %d changed their verdict",
			notify.Count(told.Checked, "case"), len(told.Missed))})
	}
	if p.Config.Run.Trace == config.TraceAlways && !sum.Interrupted {
		o.Trace(ctx, p.Cases)
	}
	if err := view.Close(); err != nil {
		return &AbortedError{Why: fmt.Sprintf("output: %v", err)}
	}
	if o.lockErr != nil {
		sum.RecordError = o.lockErr
	}
	return a.outcome(sum)
}

func bad(t suites.Tally, strict bool) bool { return t.Failed > 0 || strict && t.Unproven > 0 }

// instead returns what to do about a run that was aborted, a line each.
func (a *app) instead(sum engine.Summary) []string {
	var advised interface{ Advice() []string }
	if errors.As(sum.Fault, &advised) {
		return advised.Advice()
	}
	if len(sum.Missing) == 0 {
		return nil
	}
	return []string{
		"  install: " + toInstall(sum.Missing),
		"  run what can be run without: " + a.program().String() + " --once --preflight report",
	}
}

// outcome is the error, if any, that a run amounts to.
func (a *app) outcome(sum engine.Summary) error {
	switch {
	case sum.Interrupted:
		return ErrInterrupted
	case sum.Aborted != "":
		return &AbortedError{Why: sum.Aborted, Next: a.instead(sum)}
	case sum.RecordError != nil:
		return &AbortedError{Why: sum.RecordError.Error()}
	case bad(sum.Tally, a.strict):
		return ErrFailed
	case a.changed && bad(sum.Present, a.strict):
		log := a.log()
		n := sum.Present.Failed
		if a.strict {
			n += sum.Present.Unproven
		}
		log.Error().Msgf("still failing, though nothing changed: %s (hookwatch --once runs all)", notify.Count(n, "case"))
		return ErrFailed
	default:
		return nil
	}
}
