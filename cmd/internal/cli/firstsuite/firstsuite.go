// Package firstsuite writes the first suite of a project, for its hooks.
package firstsuite

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"hookwatch/cmd/internal/project"
)

// Hook is a script and an event that it is registered for.
type Hook struct{ Script, Event, Matcher string }

// For writes a suite with one case a hook: it must run and end well.
func For(hooks []Hook) []byte {
	var b strings.Builder
	b.WriteString(`# The first suite of this project. A case fires one hook and says what must come
# of it; hookwatch schema suite describes every key. These cases only see that
# each hook runs: say beside them what it must block, and name that case as the
# control of the one that it must let through.
suite: first
cases:
`)
	for i, h := range hooks {
		name := strings.TrimSuffix(filepath.Base(h.Script), filepath.Ext(h.Script))
		fmt.Fprintf(&b, "  - id: F%02d\n    name: %s_runs\n    category: smoke\n", i+1, word(name))
		fmt.Fprintf(&b, "    hook: %q\n    event: %s\n%s", h.Script, word(h.Event), payloadFor(h))
		b.WriteString("    expect: {exit: 0}\n")
		fmt.Fprintf(&b, "    verify: [%q]\n", h.Script)
	}
	b.WriteString(`  # - id: B01
  #   name: something_blocked
  #   category: block
  #   hook: .claude/hooks/my_hook.sh
  #   event: PreToolUse
  #   tool: Bash
  #   command: the command that must be blocked
  #   expect: {effect: denied}
  #   verify: [".claude/hooks/my_hook.sh §the_function_that_decides"]
`)
	return []byte(b.String())
}

// word makes a name one that YAML takes for nothing else.
func word(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' {
			return r
		}
		return '_'
	}, name)
}

// payloadFor is a harmless call of a tool that the hook's matcher lets through.
func payloadFor(h Hook) string {
	switch {
	case !strings.Contains(h.Event, "ToolUse"):
		return ""
	case h.Matcher == "" || h.Matcher == "*" || strings.Contains(h.Matcher, "Bash"):
		return "    tool: Bash\n    command: echo hello\n"
	}
	tool := "Write"
	for _, t := range []string{"Edit", "Write", "Read", "NotebookEdit"} {
		if strings.Contains(h.Matcher, t) {
			tool = t
			break
		}
	}
	return "    tool: " + tool + "\n    file_path: \"{tmp}/hello.txt\"\n" +
		"    fixtures: [{path: \"{tmp}/hello.txt\", content: \"hello\\n\"}]\n"
}

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
