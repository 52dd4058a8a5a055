package run

import (
	"hookwatch/suites"
	"hookwatch/suites/process"
)

// gate looks for what the case cannot do without.
func (r *Runner) gate(c *suites.Case) *suites.NotRun {
	if c.Layer == suites.Live {
		return &suites.NotRun{Status: suites.Skip, Note: suites.NoteAbsent + "live driver (layer 2 needs the real client)"}
	}
	if n := r.chainGate(c); n != nil {
		return n
	}
	for _, hook := range hooksOf(c) {
		if l := r.launch(r.Root, hook); l.absent != "" {
			return &suites.NotRun{Status: suites.Skip, Note: suites.NoteAbsent + l.absent + " (interpreter of " + hook + ")"}
		}
	}
	for _, g := range c.Gates {
		if _, err := process.LookPath(g.Tool, r.Root, r.Env); err == nil {
			continue
		}
		if g.Policy == suites.GateFail {
			return &suites.NotRun{Status: suites.Fail, Note: suites.AbsentNote(g.Tool)}
		}
		return &suites.NotRun{Status: suites.Skip, Note: suites.NoteAbsent + g.Tool}
	}
	return nil
}

// chainGate skips a chain with a hook of a kind that is not run.
func (r *Runner) chainGate(c *suites.Case) *suites.NotRun {
	if !c.Chain || r.Hooks == nil {
		return nil
	}
	for i := range c.Steps {
		st := &c.Steps[i]
		for _, h := range r.Hooks(st.Event, st.Tool) {
			if h.Type != "command" {
				return &suites.NotRun{Status: suites.Skip, Note: suites.NoteAbsent + "runner for hooks of type " + h.Type + " (" + h.ID + ")"}
			}
		}
	}
	return nil
}

// hooksOf lists the scripts that the case itself names.
func hooksOf(c *suites.Case) []string {
	var hooks []string
	for _, h := range append([]string{c.Hook}, stepHooks(c)...) {
		if h != "" {
			hooks = append(hooks, h)
		}
	}
	return hooks
}

func stepHooks(c *suites.Case) []string {
	hooks := make([]string, len(c.Steps))
	for i := range c.Steps {
		hooks[i] = c.Steps[i].Hook
	}
	return hooks
}
