package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hookwatch/suites"
)

func TestCaseMovesToAnotherAgent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir)})
	runFull(t, s, "r1", noon, rec("r1", "pm/P01", "1"), rec("r1", "pm/P02", "1"))
	must(t, s.Begin(Run{ID: "r2", Agents: map[string]string{"pm": "new-agent"}}))
	must(t, s.EndSelected([]suites.Record{rec("r2", "pm/P02", "2")}, nil, suites.Environment{}))
	wantState(t, dir, "new-agent-20260301T120000Z.jsonl: pm/P02=2", "pm-agent-20260301T120000Z.jsonl: pm/P01=1")
}

// TestLeftAgent checks that the file that cases moved away from is rewritten when one of
// them moves, and no longer read once all cases of the suite have moved.
func TestLeftAgent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir)})
	runFull(t, s, "r1", noon, rec("r1", "pm/P01", "1"), rec("r1", "pm/P02", "1"), rec("r1", "ml/M01", "1"))
	moved := map[string]string{"pm": "new-agent", "ml": "pm-agent"}
	left := filepath.Join(dir, "pm-agent-20260301T120000Z.jsonl")
	for i, step := range []struct {
		key     string
		written bool
		agents  []string // of pm, afterwards
	}{
		{"pm/P02", true, []string{"pm-agent", "new-agent"}},
		{"pm/P02", false, []string{"pm-agent", "new-agent"}}, // P01 is still there
		{"pm/P01", true, []string{"new-agent"}},
		{"pm/P01", false, []string{"new-agent"}},
		{"ml/M01", true, []string{"new-agent"}},
	} {
		id := fmt.Sprint("m", i)
		before, err := os.Stat(left)
		must(t, err)
		must(t, s.Begin(Run{ID: id, Agents: moved}))
		must(t, s.EndSelected([]suites.Record{rec(id, step.key, id)}, nil, suites.Environment{}))
		after, err := os.Stat(left)
		must(t, err)
		if os.SameFile(before, after) == step.written {
			t.Errorf("%s: the file that was left is written: %v", id, !step.written)
		}
		if got := s.state.agents["pm"]; !slices.Equal(got, step.agents) {
			t.Errorf("%s: agents %v, want %v", id, got, step.agents)
		}
	}
	wantState(t, dir, "ml-agent-20260301T120000Z.jsonl:", "new-agent-20260301T120000Z.jsonl: pm/P02=m1 pm/P01=m3", "pm-agent-20260301T120000Z.jsonl: ml/M01=m4")
}
