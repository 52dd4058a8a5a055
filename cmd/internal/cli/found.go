package cli

import (
	"cmp"
	"fmt"
	"strings"

	"hookwatch/cmd/internal/cli/firstsuite"
	"hookwatch/cmd/internal/project"
	"hookwatch/config"
	"hookwatch/suites/discover"
)

// hooksFor lists the hooks of the project that dir lies in, one a registration, or
// scripts where none is registered; and those that are not run, with the reason.
func (a *app) hooksFor(dir string) (hooks []firstsuite.Hook, notRun []string, root string, err error) {
	cfg, err := config.Load(config.LoadOptions{Dir: dir, Path: a.path, Flags: a.flags.PersistentFlags()})
	if err != nil {
		return nil, nil, "", err
	}
	a.ask(cfg)
	p, problems := project.Load(cfg, project.Filter{}, nil)
	if len(problems) > 0 {
		return nil, nil, "", problemsError(problems)
	}
	for _, h := range p.Registered.Hooks {
		if why := h.NotRun(); why != "" {
			notRun = append(notRun, fmt.Sprintf("%s: %s: %s", h.Source, h.Event, why))
			continue
		}
		hooks = append(hooks, firstHook(p, h))
	}
	for _, h := range p.Registered.Others {
		notRun = append(notRun, fmt.Sprintf("%s: %s: %s", h.Source, h.Event, cmp.Or(h.NotRun(), "not in every session ("+string(h.Scope)+")")))
	}
	for _, script := range p.Scripts() {
		if !strings.Contains(script, "/lib/") && len(p.Registered.Hooks) == 0 {
			hooks = append(hooks, firstsuite.Hook{Script: script, Event: cmp.Or(discover.EventOf(script), "PreToolUse"), Matcher: "Bash", Verify: script})
		}
	}
	return hooks, notRun, cfg.Root, nil
}

// firstHook is a registered hook by the shortest name that means no other.
func firstHook(p *project.Project, h discover.Hook) firstsuite.Hook {
	first := firstsuite.Hook{Event: h.Event, Matcher: h.Matcher, Registered: h.ID, Verify: h.Source.File, Elsewhere: h.Scope.Foreign()}
	if len(h.Scripts) > 0 {
		first.Script = h.Scripts[0]
		if p.Exists(first.Script) {
			first.Verify = first.Script
		}
		if meant, ok := p.Registered.Named(h.Event, first.Script); ok && meant.ID == h.ID {
			first.Registered = first.Script
		}
	}
	return first
}
