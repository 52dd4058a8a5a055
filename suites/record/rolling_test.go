package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
)

func TestRollingLogIsRotatedCompressedAndReadInOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir), RollingSize: 4 << 10})
	must(t, s.Begin(Run{ID: "r1"}))
	pause := time.NewTicker(5 * time.Millisecond) // old files are named by the millisecond
	defer pause.Stop()
	const lines = 40
	for i := range lines {
		r := rec("r1", "pm/P01", strconv.Itoa(i))
		r.ActualOutput = strings.Repeat("x", 1000)
		must(t, s.Append(r))
		<-pause.C
	}
	must(t, s.Close())
	packed := 0
	for _, name := range list(t, filepath.Join(dir, rollingName)) {
		if strings.HasSuffix(name, ".gz") {
			packed++
		} else if name != "pm-agent.jsonl" {
			t.Errorf("%s is not compressed", name)
		}
	}
	if packed < 5 {
		t.Errorf("%d old files", packed)
	}
	var notes, want []string
	warned, err := reader(t, dir).History(func(agent string, r suites.Record) bool {
		notes = append(notes, r.Note)
		return agent == "pm-agent"
	})
	must(t, err)
	for i := range lines {
		want = append(want, strconv.Itoa(i))
	}
	if !slices.Equal(notes, want) || len(warned) != 0 {
		t.Errorf("history %v, warnings %q", notes, warned)
	}
	again := open(t, Options{Place: at(dir)}) // the run was not ended, and its records are in old files too
	wantState(t, dir, "pm-agent-20260301T120000Z.jsonl: pm/P01=39")
	if in := again.Interruption(); in == nil || in.RunID != "r1" {
		t.Errorf("interrupted %+v", in)
	}
}

func TestAFullRunThatCannotBeKeptHarmsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir)})
	runFull(t, s, "r1", noon, rec("r1", "pm/P01", "1"), rec("r1", "pm/P02", "1"))
	before := list(t, dir)
	write(t, filepath.Join(dir, archiveName, pendingPrefix+"20260301T120000Z-2"), "in the way")
	begin(t, s, "r2", true, rec("r2", "pm/P01", "2"))
	err := s.EndFull([]suites.Record{rec("r2", "pm/P01", "2")}, nil, suites.Environment{}, nil, noon)
	if failed := (*WriteError)(nil); !errors.As(err, &failed) || failed.Dir != dir {
		t.Errorf("got %v", err)
	}
	wantState(t, dir, "pm-agent-20260301T120000Z.jsonl: pm/P01=1 pm/P02=1")
	if after := list(t, dir); len(after) != len(before)+2 { // running.json, and the obstacle
		t.Errorf("left over: %v, before %v", after, before)
	}
	begin(t, s, "r3", false) // takes over the run that r2 could not end
	wantState(t, dir, "pm-agent-20260301T120000Z.jsonl: pm/P01=2 pm/P02=1")
	must(t, s.EndSelected(nil, nil, suites.Environment{}))
}

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

// TestPast checks that the rolling log, the archive and the present state are combined
// without duplicates.
func TestPast(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	line := func(id, run, at string) string {
		return `{"hook":"h","test_name":"` + id + `","pass":true,"note":"","timestamp":"` + at + `","id":"` + id + `","suite":"s","run_id":"` + run + `"}` + "\n"
	}
	const first, second, third = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"
	for name, content := range map[string]string{
		"rolling/s-agent.jsonl":                                   line("A", "2", second) + line("B", "2", second) + line("A", "3", third) + "torn",
		"archive/20260101T000000Z/s-agent-20260101T000000Z.jsonl": line("A", "1", first) + `{"hook":"h","test_name":"old","pass":true,"note":"","timestamp":"` + first + `"}` + "\n",
		"archive/20260102T000000Z/s-agent-20260102T000000Z.jsonl": line("A", "2", second) + line("B", "2", second),
		"archive/20260102T000000Z/environment.json":               `{"run_id":"2","tools":[{"name":"jq","path":"/jq"}]}`,
		"s-agent-20260102T000000Z.jsonl":                          line("A", "3", third) + line("B", "2", second),
		"environment.json":                                        `{"run_id":"3","tools":[{"name":"jq"}]}`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := reader(t, dir).Past()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range p.Records {
		got = append(got, r.TestName+r.RunID)
	}
	if text := strings.Join(got, " "); text != "A1 old A2 B2 A3" {
		t.Errorf("records: %s", text)
	}
	var runs []string
	for _, e := range p.Environments {
		runs = append(runs, e.RunID)
	}
	if d := cmp.Diff([]string{"3", "2"}, runs); d != "" {
		t.Errorf("runs of the environments (-want +got):\n%s", d)
	}
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "rolling/s-agent.jsonl:4") {
		t.Errorf("warnings: %v", p.Warnings)
	}
	if empty, err := reader(t, filepath.Join(dir, "nowhere")).Past(); err != nil || len(empty.Records) != 0 {
		t.Errorf("nothing on record: %+v, %v", empty, err)
	}
}
