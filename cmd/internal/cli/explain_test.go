package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// TestExplainLines: what is too long for a line is named, and the lines around it
// are answered.
func TestExplainLines(t *testing.T) {
	t.Parallel()
	long := `{"event": "Stop", "stdout": "` + strings.Repeat("x", longestLine) + `"}`
	code, out, stderr := call(t, t.TempDir(), `{"id": 1, "event": "Stop"}`+"\n"+long+"\n"+`{"id": 3, "event": "Stop"}`, "explain", "-", "--format", "jsonl")
	if code != exitUsage || !strings.Contains(stderr, "line 2: longer than 16 MiB") {
		t.Errorf("exit %d, %.200s", code, stderr)
	}
	var ids []string
	for line := range strings.Lines(out) {
		var answer ExplainLine
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, string(answer.ID))
	}
	if strings.Join(ids, " ") != "1 3" {
		t.Errorf("answered %q", ids)
	}
}

func TestReadLine(t *testing.T) {
	t.Parallel()
	lines := bufio.NewReaderSize(strings.NewReader("a\n\n"+strings.Repeat("b", 100)+"\nc"), 16)
	for _, want := range []string{"a\n", "\n", strings.Repeat("b", 100) + "\n", "c"} {
		if got, err := readLine(lines); string(got) != want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	if _, err := readLine(lines); err != io.EOF {
		t.Errorf("%v, want the end", err)
	}
}

// TestRulesOfExplain: each is found by its ID, and no two share one.
func TestRulesOfExplain(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range rules() {
		if seen[r.ID] {
			t.Errorf("two rules are called %s", r.ID)
		}
		seen[r.ID] = true
		if found, err := ruleNamed(r.ID); err != nil || found.What != r.What {
			t.Errorf("%s: %v", r.ID, err)
		}
	}
}
