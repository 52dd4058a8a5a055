package conform

import (
	"testing"

	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

// TestUncovered: a guard leaves out a tool like those that it lists, unless the same
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
