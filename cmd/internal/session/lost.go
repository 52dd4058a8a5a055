package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/record"
)

// lostCases makes a case of each script that cases start themselves, that was registered for their event
// and is not any more: the client never runs it then, whatever these cases show. The case fails
// until the script is registered again. It sets the registrations to keep on record.
func (p *loader) lostCases() (out []suites.Case) {
	now := p.registrations()
	p.Registrations = now
	for _, was := range record.ReadRegistrations(RecordsPlace(p.Config, false)) {
		same := func(r record.Registration) bool { return r.Hook == was.Hook && r.Event == was.Event }
		if slices.ContainsFunc(now, same) || !p.starts(was.Hook, was.Event) {
			continue
		}
		p.Registrations = append(p.Registrations, was)
		dropped := func(problem suites.Problem) bool { return problem.At.File == was.File }
		if p.Registered.DisabledBy.Line > 0 || slices.ContainsFunc(p.Registered.Dropped, dropped) || p.firesByName(was) {
			continue // reported for all hooks together, or by that case
		}
		sum := sha256.Sum256([]byte(was.Hook + "\x00" + was.Event))
		digest := hex.EncodeToString(sum[:6])
		out = append(out, suites.Case{
			Suite: RegisteredSuite, Agent: RegisteredSuite + "-agent", ID: "lost-" + path.Base(was.Hook) + "-" + digest[:8], Name: was.Event + " " + was.Hook, Category: was.Event,
			Layer: suites.Direct, Check: &suites.Check{Need: suites.NeedExpected, File: was.File}, Steps: make([]suites.Step, 1),
			At: suites.Position{File: was.File, Line: 1, Column: 1}, Digest: digest,
			Faults: []string{was.File + " no longer registers " + was.Hook + " for " + was.Event +
				": the client never runs it, although its cases pass (register it again, or let hookwatch --once --accept forget it)"},
		})
	}
	return out
}

// firesByName reports whether a case fires a hook by a registration that names its script.
func (p *loader) firesByName(r record.Registration) bool {
	return slices.ContainsFunc(p.Suites, func(s suites.Suite) bool {
		return slices.ContainsFunc(s.Cases, func(c suites.Case) bool {
			return slices.ContainsFunc(c.Steps, func(st suites.Step) bool {
				name := cmp.Or(st.Registered, c.Registered)
				return name != "" && st.Event == r.Event && strings.Contains(r.Hook, name)
			})
		})
	})
}

// registrations returns where the scripts that cases start themselves are registered for their
// events.
func (p *loader) registrations() (all []record.Registration) {
	for _, hooks := range [][]discover.Hook{p.Registered.Hooks, p.Registered.Others, p.Registered.Elsewhere} {
		for _, h := range hooks {
			for _, script := range h.Scripts {
				one := record.Registration{Hook: script, Event: h.Event, File: h.Source.File}
				if h.Scope != discover.InGuess && h.Scope != discover.InTemplate && !slices.Contains(all, one) && p.starts(script, h.Event) {
					all = append(all, one)
				}
			}
		}
	}
	return all
}

// starts reports whether a case starts a script itself, as for an event.
func (p *loader) starts(script, event string) bool {
	if p.started == nil {
		p.started = make(map[[2]string]bool)
		for _, s := range p.Suites {
			for i := range s.Cases {
				c := &s.Cases[i]
				for _, st := range c.Steps {
					hook := cmp.Or(st.Hook, c.Hook)
					if hook == "" || c.Chain || c.Check != nil || cmp.Or(st.Registered, c.Registered) != "" {
						continue
					}
					p.started[[2]string{cmp.Or(p.findScript(hook), path.Clean(hook)), st.Event}] = true
				}
			}
		}
	}
	return p.started[[2]string{script, event}]
}

// keepRegistrations puts the registrations of the loaded project on record.
func (e *Session) keepRegistrations() {
	if e.opts.Store != nil && !slices.Equal(e.project.Registrations, record.ReadRegistrations(RecordsPlace(e.project.Config, false))) {
		e.filing.fail(e.opts.Store.KeepRegistrations(e.project.Registrations))
	}
}
