package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"hookwatch/suites/client"
)

// TestExplainLines checks that a line that is too long is reported, and that the other lines are
// answered.
func TestExplainLines(t *testing.T) {
	t.Parallel()
	long := `{"event": "Stop", "stdout": "` + strings.Repeat("x", longestLine) + `"}`
	code, out, stderr := call(t, t.TempDir(), `{"id": 1, "event": "Stop"}`+"\n"+long+"\n"+`{"id": 3, "event": "Stop"}`, "explain", "-", "--format", "jsonl")
	if code != Usage || !strings.Contains(stderr, "line 2: longer than 16 MiB") {
		t.Errorf("exit %d, %.200s", code, stderr)
	}
	var ids []string
	for line := range strings.Lines(out) {
		var answer explainedLine
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, string(answer.ID))
	}
	if strings.Join(ids, " ") != "1 3" {
		t.Errorf("answered %q", ids)
	}
}

// TestRulesOfExplain checks that each rule is found by its ID, and that IDs are unique.
func TestRulesOfExplain(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range client.Rules() {
		if seen[r.ID] {
			t.Errorf("two rules are called %s", r.ID)
		}
		seen[r.ID] = true
		if found, err := ruleNamed(r.ID); err != nil || found.What != r.What {
			t.Errorf("%s: %v", r.ID, err)
		}
	}
}
