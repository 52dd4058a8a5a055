package run

import (
	"context"

	"hookwatch/suites"
	"hookwatch/suites/audit"
	"hookwatch/suites/process"
)

// gate looks for what the case cannot do without.
func (r *Runner) gate(ctx context.Context, c *suites.Case) *suites.NotRun {
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
		if n := r.missing(ctx, g); n != nil {
			return n
		}
	}
	return nil
}

// missing looks for the tool of one gate, and at its version where it matters.
func (r *Runner) missing(ctx context.Context, g suites.Gate) *suites.NotRun {
	_, err := process.LookPath(g.Tool, r.Root, r.Env)
	switch {
	case err != nil && g.Policy == suites.GateFail:
		return &suites.NotRun{Status: suites.Fail, Note: suites.AbsentNote(g.Tool)}
	case err != nil:
		return &suites.NotRun{Status: suites.Skip, Note: suites.NoteAbsent + g.Tool}
	case g.MinVersion == "":
		return nil
	}
	// A tool that does not tell its version may be new enough: the case will show.
	have := audit.Version(r.tools.version(ctx, r.tools.find(g.Tool)))
	if have == "" || !audit.Older(have, g.MinVersion) {
		return nil
	}
	return &suites.NotRun{Status: suites.Skip, Note: suites.NoteVersionSkip + g.Tool + " " + have + " < " + g.MinVersion}
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
