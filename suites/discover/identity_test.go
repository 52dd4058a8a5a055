package discover

import (
	"regexp"
	"slices"
	"testing"
)

func ids(registered Registered) (all []string) {
	for _, hook := range registered.Hooks {
		all = append(all, hook.ID)
	}
	return all
}

func TestIDsOutliveEdits(t *testing.T) {
	t.Parallel()
	a, b := []string{"PreToolUse", "Bash|Edit", "bash .claude/hooks/x.sh", "y"}, []string{"PreToolUse", "Write", "y"}
	before := ids(discovered(t, map[string]string{shared: settingsText(a, b)}))
	if !regexp.MustCompile(`^PreToolUse-x\.sh-[0-9a-f]{8}$`).MatchString(before[0]) {
		t.Errorf("ID %q", before[0])
	}
	if len(before) != 3 || before[1] == before[2] {
		t.Fatalf("IDs %q", before)
	}
	after := ids(discovered(t, map[string]string{shared: settingsText(
		[]string{"PreToolUse", "Read", "new"}, b, []string{"PreToolUse", "Edit, Bash", "bash  '.claude/hooks/x.sh'", "y"},
	)}))
	if want := []string{before[2], before[0], before[1]}; !slices.Equal(after[1:], want) {
		t.Errorf("IDs %q, want %q", after[1:], want)
	}
}

func TestIDsDiffer(t *testing.T) {
	t.Parallel()
	all := ids(discovered(t, map[string]string{
		shared: settingsText([]string{"PreToolUse", "Bash", "x", "x ", "y"}, []string{"PreToolUse", "Edit", "x"}, []string{"PostToolUse", "Bash", "x"}),
		local:  settingsText([]string{"PreToolUse", "Bash", "x"}),
	}))
	slices.Sort(all)
	if len(slices.Compact(all)) != 6 {
		t.Errorf("IDs are not unique: %q", all)
	}
}

func TestIDsIgnoreTheMachine(t *testing.T) {
	t.Parallel()
	one := Hook{Event: "Stop", Type: "command", Command: "/home/a/p/x.sh", Root: "/home/a/p"}
	other := Hook{Event: "Stop", Type: "command", Command: `"${CLAUDE_PROJECT_DIR}"/x.sh`, Root: "/srv/p"}
	if a, b := identify("s", one, ""), identify("s", other, ""); a != b {
		t.Errorf("%s and %s differ", a, b)
	}
	if got := scopeName("/home/a/.claude/settings.json"); got != "outside:.claude/settings.json" {
		t.Errorf("scope %q", got)
	}
}

func TestRepeatedEntryIsOneHook(t *testing.T) {
	t.Parallel()
	registered := discovered(t, map[string]string{
		shared: settingsText([]string{"Stop", "", "x", "x"}, []string{"Stop", "", "x"}),
	})
	if len(registered.Hooks) != 1 {
		t.Errorf("hooks %q, want one", ids(registered))
	}
}
