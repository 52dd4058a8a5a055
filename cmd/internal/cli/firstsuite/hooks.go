package firstsuite

import (
	"strings"

	"hookwatch/cmd/internal/project"
)

// Hooks lists the hooks of a project: each script with an event that it is registered
// for, or a guess for one that is not.
func Hooks(p *project.Project) (hooks []Hook) {
	seen := map[string]bool{}
	for _, h := range p.Registered.Hooks {
		for _, script := range h.Scripts {
			if !seen[script+h.Event] && p.Exists(script) {
				seen[script+h.Event], seen[script] = true, true
				hooks = append(hooks, Hook{Script: script, Event: h.Event, Matcher: h.Matcher})
			}
		}
	}
	for _, script := range p.Scripts() {
		if !seen[script] && !strings.Contains(script, "/lib/") && len(p.Registered.Hooks) == 0 {
			hooks = append(hooks, Hook{Script: script, Event: "PreToolUse", Matcher: "Bash"})
		}
	}
	return hooks
}
