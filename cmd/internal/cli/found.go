package cli

import (
	"strings"

	"hookwatch/cmd/internal/cli/firstsuite"
	"hookwatch/cmd/internal/project"
	"hookwatch/config"
)

// hooksFor lists the hooks of the project that dir lies in: each script with an
// event that it is registered for, or a guess for one that is not.
func (a *app) hooksFor(dir string) (hooks []firstsuite.Hook, root string, err error) {
	cfg, err := config.Load(config.LoadOptions{Dir: dir, Path: a.path, Flags: a.flags.PersistentFlags()})
	if err != nil {
		return nil, "", err
	}
	a.ask(cfg)
	p, problems := project.Load(cfg, project.Filter{}, nil)
	if len(problems) > 0 {
		return nil, "", problemsError(problems)
	}
	seen := map[string]bool{}
	for _, h := range p.Registered.Hooks {
		for _, script := range h.Scripts {
			if !seen[script+h.Event] && p.Exists(script) {
				seen[script+h.Event], seen[script] = true, true
				hooks = append(hooks, firstsuite.Hook{Script: script, Event: h.Event, Matcher: h.Matcher})
			}
		}
	}
	for _, script := range p.Scripts() {
		if !seen[script] && !strings.Contains(script, "/lib/") && len(p.Registered.Hooks) == 0 {
			hooks = append(hooks, firstsuite.Hook{Script: script, Event: "PreToolUse", Matcher: "Bash"})
		}
	}
	return hooks, cfg.Root, nil
}
