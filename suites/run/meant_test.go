package run

import (
	"strings"
	"testing"
)

// TestMeant checks that an error about a missing script suggests a script of this name elsewhere,
// or one with a similar name.
func TestMeant(t *testing.T) {
	t.Parallel()
	from := From{Scripts: []string{".claude/hooks/guard.sh", ".claude/hooks/format.py"}}
	for hook, want := range map[string]string{
		"guard.sh":                "guard.sh does not exist; .claude/hooks/guard.sh does (127",
		".claude/hooks/format.pi": ".claude/hooks/format.pi does not exist; did you mean .claude/hooks/format.py? (127",
		"other.sh":                "other.sh does not exist (127",
	} {
		if got := from.Of(t.TempDir(), hook).Fault; !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s in it", hook, got, want)
		}
	}
}
