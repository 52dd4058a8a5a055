package conform

import (
	"strings"
	"testing"

	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

// TestUncovered checks that a guard leaves out a tool similar to those it lists, unless the same
// command is registered for that one as well.
func TestUncovered(t *testing.T) {
	guard := func(matcher, command string) discover.Hook {
		return discover.Hook{ID: matcher, Event: "PreToolUse", Matcher: matcher, Command: command, Type: "command", Entry: client.Entry{Type: "command"}}
	}
	for name, tt := range map[string]struct {
		hooks []discover.Hook
		want  int
	}{
		"left out":                       {[]discover.Hook{guard("Bash", "a")}, 1},
		"by another command":             {[]discover.Hook{guard("Bash", "a"), guard("PowerShell", "b")}, 2},
		"under another matcher":          {[]discover.Hook{guard("Bash", "a"), guard("PowerShell", "a")}, 0},
		"one that lists none of them":    {[]discover.Hook{guard("Read", "a"), guard("Bash|PowerShell", "a")}, 0},
		"one of three under another one": {[]discover.Hook{guard("Edit|Write", "a"), guard("NotebookEdit", "a")}, 0},
	} {
		var got int
		tree := Tree{Registered: discover.Registered{Hooks: tt.hooks}}
		for _, h := range tt.hooks {
			got += len(tree.matched(h))
		}
		if got != tt.want {
			t.Errorf("%s: %d findings, want %d", name, got, tt.want)
		}
	}
}

// TestServers checks that a matcher that lists mcp__ or a server gets a matcher that accepts their
// tools, and that its other names still match.
func TestServers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ matcher, what, effect string }{
		{"Bash|mcp__", "mcp__ names no server: mcp__.* takes the tools of all servers", "the other names of the matcher are not affected"},
		{"Bash|mcp__github", "mcp__github names a server: its tools are mcp__github__.*", "the other names of the matcher are not affected"},
		{"mcp__", "mcp__.* takes", "the hook never runs"},
		{"Bash|mcp__.*", "", ""},
	} {
		h := discover.Hook{ID: "h", Event: "PreToolUse", Matcher: tt.matcher}
		var dead []Finding
		for _, f := range (Tree{Registered: discover.Registered{Hooks: []discover.Hook{h}}}).matched(h) {
			if f.Rule == "dead-matcher" {
				dead = append(dead, f)
			}
		}
		if tt.what == "" && len(dead) > 0 || tt.what != "" && (len(dead) != 1 || !strings.Contains(dead[0].What, tt.what) || !strings.Contains(dead[0].Effect, tt.effect)) {
			t.Errorf("%s: %+v", tt.matcher, dead)
		}
	}
}
