package main

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/record"
)

// TestKilled ends full runs with SIGKILL at random moments. Whatever was
// announced is on record, no line is torn, the next start says what was
// interrupted, and a run after that is whole. HOOKWATCH_TEST_KILLS sets how many
// times (default 5).
func TestKilled(t *testing.T) {
	t.Parallel()
	kills := 5
	if n, err := strconv.Atoi(os.Getenv("HOOKWATCH_TEST_KILLS")); err == nil {
		kills = n
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	root := newReference(t)
	results := filepath.Join(root, ".claude/tests/hooks/results")
	interrupted, announced := 0, 0
	for i := range kills {
		from := "" // the start of the program
		if i%2 == 0 {
			from = "run_started" // however long that takes here
		}
		cases, _ := runUntil(t, root, from, time.Duration(random.Int64N(int64(1500*time.Millisecond))), "--once")
		announced += len(cases)
		checkKept(t, results, cases)
		_, err := os.Stat(filepath.Join(results, "running.json"))
		midway := err == nil
		if nextStartTells(t, root, results) != midway {
			t.Errorf("a run was under way when it was killed: %v; the next start says otherwise", midway)
		}
		if midway {
			interrupted++
		}
	}
	t.Logf("%d kills, %d of them during a run, %d verdicts announced", kills, interrupted, announced)
	if interrupted == 0 {
		t.Error("no kill met a run")
	}
	out, err := program(t, root, "--once", "--format", "json").Output()
	if err != nil {
		t.Fatalf("the run after all kills: %v\n%s", err, out)
	}
}

// nextStartTells runs one case and reports whether it begins by telling of an
// interrupted run. From then on no line is torn.
func nextStartTells(t *testing.T, root, results string) (told bool) {
	t.Helper()
	_, warnings := runUntil(t, root, "", ceiling, "--once", "--filter", "P01")
	for _, text := range warnings {
		told = told || strings.Contains(text, "was interrupted after")
	}
	torn, err := reader(t, results).History(func(string, suites.Record) bool { return true })
	if err != nil || len(torn) > 0 {
		t.Errorf("after the next start: %v, %v", torn, err)
	}
	return told
}

// runUntil starts hookwatch and kills it some time after an event, or its start,
// unless it has ended. It returns the records that were announced and the warnings.
func runUntil(t *testing.T, root, from string, after time.Duration, args ...string) (cases []suites.Record, warnings []string) {
	t.Helper()
	cmd := program(t, root, append(args, "--format", "jsonl")...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(after+ceiling, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	if from == "" {
		kill.Reset(after)
	}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Errorf("line %q: %v", line, err)
		}
		switch e.Event {
		case from:
			kill.Reset(after)
		case "case":
			cases = append(cases, e.Record)
		case "warning":
			warnings = append(warnings, e.Text)
		}
	}
	_ = cmd.Wait()
	return cases, warnings
}

// reader reads the records of a project.
func reader(t *testing.T, results string) *record.Reader {
	t.Helper()
	r, err := record.OpenReader(record.Place{Base: filepath.Dir(results), Dir: results})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// checkKept looks for every announced record.
func checkKept(t *testing.T, results string, cases []suites.Record) {
	t.Helper()
	kept := map[string]bool{}
	warnings, err := reader(t, results).History(func(_ string, r suites.Record) bool {
		kept[r.RunID+r.Key().String()+r.Timestamp] = true
		return true
	})
	if err != nil && len(cases) > 0 {
		t.Fatal(err)
	}
	for _, w := range warnings {
		t.Logf("before the next start: %s", w) // a line torn by the kill, which was never announced
	}
	for _, c := range cases {
		if !kept[c.RunID+c.Key().String()+c.Timestamp] {
			t.Errorf("%s of run %s was announced and is not on record", c.Key(), c.RunID)
		}
	}
}
