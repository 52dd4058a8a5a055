package cli

import (
	"context"
	"errors"
	"fmt"

	"hookwatch/cmd/internal/cli/doctor"
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
	view.Handle(o.started(0))
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
		return &abortedError{why: fmt.Sprintf("output: %v", err)}
	}
	if o.lockErr != nil {
		sum.RecordError = o.lockErr
	}
	return a.outcome(sum)
}

func bad(t suites.Tally, strict bool) bool { return t.Failed > 0 || strict && t.Unproven > 0 }

// instead says what to do about a run that was aborted for want of tools.
func (a *app) instead(missing []string) []string {
	if len(missing) == 0 {
		return nil
	}
	return []string{
		"  install: " + doctor.ToInstall(missing),
		"  run what can be run without: " + a.program().String() + " --once --preflight report",
	}
}

// outcome is the error, if any, that a run amounts to.
func (a *app) outcome(sum engine.Summary) error {
	switch {
	case sum.Interrupted:
		return errInterrupted
	case sum.Aborted != "":
		return &abortedError{sum.Aborted, a.instead(sum.Missing)}
	case sum.RecordError != nil:
		return &abortedError{why: sum.RecordError.Error()}
	case bad(sum.Tally, a.strict):
		return errFailed
	case a.changed && bad(sum.Present, a.strict):
		log := a.log()
		log.Warn().Msgf("%d cases failed before and nothing about them changed (hookwatch --once runs all)",
			sum.Present.Failed+sum.Present.Unproven)
		return errFailed
	default:
		return nil
	}
}
