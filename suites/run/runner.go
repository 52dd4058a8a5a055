// Package run is the RUN station: it builds a case's surroundings, fires its
// hook step by step as the case says, and returns what happened. It judges
// nothing.
package run

import (
	"hookwatch/suites"
	"hookwatch/suites/expression/evaluator"
	"hookwatch/suites/toolbox"
)

// A Runner runs cases. It is safe for concurrent use.
type Runner struct {
	Options
	sandboxes *sandboxes
	tools     *toolbox.Toolbox // whose versions gates ask for
	machine   toolbox.Machine
	asked     saidByRunners
	evaluator evaluator.Evaluator
}

// New makes a runner.
func New(o Options) *Runner {
	r := &Runner{Options: o, tools: toolbox.New(o.Root, o.Env, nil, nil), machine: toolbox.NewMachine(o.Root, o.Env)}
	r.sandboxes = newSandboxes(&r.Options)
	return r
}

// KeepReady has so many supervisors stand ready from now on that no case waits
// for the start of one. Close ends them.
func (r *Runner) KeepReady(supervisors int) { r.sandboxes.pool.KeepReady(supervisors) }

// Prewarm has a sandbox made for the next case that wants nothing special, in
// the place of one that nobody took. CancelPrewarm gives it up.
func (r *Runner) Prewarm() { r.sandboxes.pool.Prewarm() }

// CancelPrewarm gives up a sandbox that was made early.
func (r *Runner) CancelPrewarm() { r.sandboxes.pool.CancelPrewarm() }

// Close gives up what is kept ready. Cases that run are not touched.
func (r *Runner) Close() {
	r.sandboxes.pool.Close()
	r.evaluator.Close()
}

// Remove deletes what a case left, once it was judged.
func (r *Runner) Remove(o suites.Outcome) error {
	if o.Sandbox == "" {
		return nil
	}
	return r.sandboxes.pool.Discard(o.Sandbox)
}

// Keep moves what a case left to a directory that does not exist yet, within
// KeepSize.
func (r *Runner) Keep(o suites.Outcome, to string) error {
	return r.sandboxes.pool.Keep(o.Sandbox, to)
}
