package run

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/discover"
)

// A Memory knows what earlier firings did.
type Memory interface {
	// Outcome returns the outcome of an earlier firing if another one would do the same, or else that of
	// fire, whose accesses are observed.
	Outcome(about suites.Firing, fire func() (suites.Outcome, error)) (suites.Outcome, error)
}

// Make runs a case as Case does and deletes its files, unless it is known what it does. In place it traces
// nothing, because there no case may run twice.
func (r *Runner) Make(ctx context.Context, q suites.Request) (suites.Outcome, error) {
	c, t := q.Case, q.Trace
	if t != nil && r.Isolation.Describe().InPlace {
		return suites.Outcome{}, nil
	}
	fire := func(observed bool) (suites.Outcome, error) {
		o, err := r.run(ctx, c, t, observed)
		if err == nil {
			err = r.Remove(o)
		}
		return o, err
	}
	about, ok := r.about(c, t)
	if !ok {
		return fire(q.Observed || c.Turns != nil)
	}
	return r.Known.Outcome(about, func() (suites.Outcome, error) {
		o, err := fire(true)
		if ctx.Err() != nil {
			o.Unobserved = "it was interrupted"
		}
		return o, err
	})
}

// about returns everything on which the outcome of a case depends, except what it may be observed to use;
// false if nothing is known about such cases.
func (r *Runner) about(c *suites.Case, t suites.Tracer) (about suites.Firing, ok bool) {
	isolation := r.Isolation.Describe()
	switch {
	case r.Known == nil, !isolation.Private:
		return about, false
	case c.Layer == suites.Live, c.Check != nil, c.Turns != nil, len(c.Gates)+len(c.WantedEnv().Server) > 0:
		return about, false
	}
	o := r.of(c)
	var hooks []discover.Hook
	for i := range c.Steps {
		one, known := o.registration(c, &c.Steps[i])
		if !known {
			return about, false
		}
		hooks = append(hooks, one...)
	}
	for _, h := range hooks {
		about.Scripts = append(about.Scripts, h.Scripts...)
	}
	about.Files, about.Removed = r.Instead.Files, r.Instead.Removed
	definition := *c
	definition.Suite, definition.ID, definition.At, definition.Digest = "", "", suites.Position{}, "" // no hook sees them
	text, err := json.Marshal(&definition)
	about.Input = fmt.Appendf(text, "\n%#v", hooks)
	// Maps are printed in the order of their keys.
	about.Setup = fmt.Appendf(nil, "%#v", []any{isolation, o.Root, o.Env, o.Timeout, o.Backstop, o.Client, o.Live.Of.Name, o.EmptyHome, o.StandIns, r.standing(c), r.settings(c)})
	if t != nil {
		how := t(filepath.Join("/", traceDir), o.Env)
		about.Setup = fmt.Appendf(about.Setup, "\n%#v", how)
	}
	return about, err == nil
}

// registration returns the hooks that a step may fire, without their places in files, which change with other
// entries; false if they are not known.
func (o *Options) registration(c *suites.Case, st *suites.Step) (hooks []discover.Hook, known bool) {
	switch name := registeredBy(c, st); {
	case name != "" && o.Registered != nil:
		var h discover.Hook
		h, known = o.Registered(st.Event, name, st.Matched())
		hooks = []discover.Hook{h}
	case c.Chain && o.InForce != nil:
		hooks, known = slices.Clone(o.InForce()), true
	}
	for i := range hooks {
		hooks[i].Source, hooks[i].Entry.At = suites.Position{}, suites.Position{}
	}
	return hooks, known
}
