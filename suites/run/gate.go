package run

import (
	"context"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/toolbox"
)

// gate looks for what the case cannot do without.
func (r *Runner) gate(ctx context.Context, c *suites.Case) (*suites.NotRun, error) {
	if n := r.liveGate(c); n != nil {
		return n, nil
	}
	if n := r.chainGate(c); n != nil && c.Layer != suites.Live {
		return n, nil
	}
	for _, hook := range hooksOf(c) {
		if l := r.launch(r.Root, hook); l.Absent != "" {
			return &suites.NotRun{Status: suites.Skip, Note: suites.NoteAbsent + l.Absent + " (interpreter of " + hook + ")"}, nil
		}
	}
	for _, g := range c.Gates {
		if n, err := r.missing(ctx, c, g); n != nil || err != nil {
			return n, err
		}
	}
	return nil, nil
}

// missing looks for the tool of one gate, and at its version where it matters.
func (r *Runner) missing(ctx context.Context, c *suites.Case, g suites.Gate) (*suites.NotRun, error) {
	tool := r.locate(g)
	if !tool.Present() {
		by, err := r.byRunner(ctx, c, g)
		switch {
		case err != nil:
			return nil, err
		case by:
			return nil, nil // whichever version it is: the case will show
		case g.Policy == suites.GateFail:
			return &suites.NotRun{Status: suites.Fail, Note: suites.AbsentNote(g.Tool)}, nil
		}
		return &suites.NotRun{Status: suites.Skip, Note: suites.NoteAbsent + g.Tool}, nil
	}
	if g.MinVersion == "" {
		return nil, nil
	}
	// A tool that does not tell its version may be new enough: the case will show.
	said, err := r.version(ctx, tool)
	if err != nil {
		return nil, err
	}
	have := toolbox.Version(said)
	if have == "" || !toolbox.Older(have, g.MinVersion) {
		return nil, nil
	}
	return &suites.NotRun{Status: suites.Skip, Note: suites.NoteVersionSkip + g.Tool + " " + have + " < " + g.MinVersion}, nil
}

// locate finds the tool of a gate where hooks look for it, without running
// anything. What a runner may find is not among it.
func (r *Runner) locate(g suites.Gate) suites.Tool {
	for _, place := range append(slices.Clone(g.Places), g.Tool) {
		if len(suites.Place(place).Runner()) > 0 {
			continue
		}
		if t := r.tools.FindOne(place); t.Present() {
			t.Name = g.Tool
			return t
		}
	}
	return suites.Tool{Name: g.Tool}
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
