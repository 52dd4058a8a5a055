package engine

import (
	"slices"

	"hookwatch/cmd/internal/engine/decide"
	"hookwatch/config"
	"hookwatch/suites"
)

// preflight lets a full run begin with what it requires. Where suites check
// that, all else waits behind them.
func (e *Engine) preflight() {
	tools, checks := e.p.Requirements()
	if len(checks) == 0 {
		e.passes(decide.Absent(e.with.Tools.Find(tools)), false)
		return
	}
	for _, c := range e.queue.Clear() {
		if c.Check == nil {
			e.run.Behind = append(e.run.Behind, c)
		} else {
			e.enqueue(c)
		}
	}
}

// passPreflight lets what waits go on once the required checks hold, or else
// ends the run when the other checks are done, too.
func (e *Engine) passPreflight() {
	if len(e.run.Behind) == 0 {
		return
	}
	tools, checks := e.p.Requirements()
	if slices.ContainsFunc(checks, func(c *suites.Case) bool { return e.pending(c.Key()) }) {
		return
	}
	if !e.passes(e.run.Lack(checks, e.with.Tools.Find(tools)), e.underway()) {
		return
	}
	behind := e.run.Behind
	e.run.Behind = nil
	for _, c := range behind {
		e.enqueue(c)
	}
}

// passes carries out what a lack means for the run, and reports whether it goes on.
func (e *Engine) passes(l decide.Lack, underway bool) bool {
	switch l.Action(e.p.Config.Preflight.Policy == config.PreflightReport, underway) {
	case decide.Warn:
		e.warn(l.Warning())
	case decide.Wait:
		return false
	case decide.Abort:
		e.run.Missing = l.Missing
		e.abort(l.Why)
		return false
	case decide.Proceed:
	}
	return true
}
