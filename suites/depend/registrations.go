package depend

import (
	"cmp"
	"encoding/json"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/discover"
)

// registers is the reason for an input that is the registration of a hook.
const registers = "it registers the hook"

// registrations returns the inputs for registrations of hooks, one per file and event. The
// digest covers the entries and not the text, so edits of other settings or of white space do
// not change it. The setting that switches all hooks off is an input, too.
func (g *Graph) registrations(hooks []*discover.Hook) []suites.Input {
	entries := map[suites.Input][]any{}
	for _, h := range hooks {
		entry := h.Entry
		entry.At = suites.Position{}
		in := suites.Input{Path: g.files.slash(h.Source.File), Section: "hooks." + h.Event, Because: registers, By: suites.Needed}
		entries[in] = append(entries[in], []any{entry, h.Scope, h.Dead, h.Session, h.PluginRoot})
	}
	var all []suites.Input
	for in, list := range entries {
		text, _ := json.Marshal(list) // plain values always encode
		in.Digest = suites.Digest(text)
		all = append(all, in)
	}
	if at := g.project.Registered.DisabledBy; at.Line > 0 {
		all = append(all, suites.Input{
			Path: g.files.slash(at.File), Section: "disableAllHooks", Digest: "true", Because: "it switches all hooks off", By: suites.Needed,
		})
	}
	return normalised(all)
}

// registered returns all hooks of the project, active or not.
func (g *Graph) registered() (all []*discover.Hook) {
	for _, hooks := range [][]discover.Hook{g.project.Registered.Hooks, g.project.Registered.Others} {
		for i := range hooks {
			if hooks[i].Scope != discover.InGuess {
				all = append(all, &hooks[i])
			}
		}
	}
	return all
}

// running returns the hooks whose command runs a script.
func (g *Graph) running(script string) []*discover.Hook {
	if g.runners == nil {
		g.runners = map[string][]*discover.Hook{}
		for _, h := range g.registered() {
			for _, s := range h.Scripts {
				g.runners[s] = append(g.runners[s], h)
			}
		}
	}
	return g.runners[script]
}

// registrationsOf returns the registrations of the hooks that a case fires: all of its events,
// or those that it names, and those that run its scripts. It returns nil for a case that starts
// a script itself, because its verdict does not depend on registrations.
func (g *Graph) registrationsOf(c *suites.Case, scripts []string) []suites.Input {
	named := func(st suites.Step) bool { return st.Registered != "" }
	if !c.Chain && c.Registered == "" && !slices.ContainsFunc(c.Steps, named) {
		return nil
	}
	var all []*discover.Hook
	for _, script := range scripts {
		all = append(all, g.running(script)...)
	}
	for _, h := range g.registered() {
		if firedBy(c, h) && !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return g.registrations(all)
}

// firedBy reports whether a case fires a hook by its registration, or would if its matcher
// matched the call.
func firedBy(c *suites.Case, h *discover.Hook) bool {
	return slices.ContainsFunc(c.Steps, func(st suites.Step) bool {
		if c.Chain {
			return h.Event == st.Event
		}
		name := cmp.Or(st.Registered, c.Registered)
		return name != "" && (h.ID == name || h.Event == st.Event && h.Answers(name))
	})
}
