package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
	"hookwatch/suites/process/testdata/processtest"
)

func TestFullRunThenSelectedRun(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "results")
	s := open(t, Options{Place: at(dir)})
	if d := diffSnapshots(Snapshot{}, s.Snapshot()); d != "" {
		t.Errorf("a new directory is not empty (-want +got):\n%s", d)
	}
	if in := s.Interruption(); in != nil {
		t.Errorf("a new directory has an interrupted run: %+v", in)
	}
	must(t, s.WriteComparison([]byte("old")))
	runFull(t, s, "r1", noon, rec("r1", "pm/P01", "1"), rec("r1", "pm/P02", "1"), rec("r1", "ml/M01", "1"))
	wantState(t, dir, "ml-agent-20260301T120000Z.jsonl: ml/M01=1", "pm-agent-20260301T120000Z.jsonl: pm/P01=1 pm/P02=1")
	runSelected(t, s, "r2", rec("r2", "pm/P02", "2"), rec("r2", "pm/P03", "2"), rec("r2", "own/A", "2"))
	wantState(t, dir, "ml-agent-20260301T120000Z.jsonl: ml/M01=1", "own-agent-20260301T120000Z.jsonl: own/A=2",
		"pm-agent-20260301T120000Z.jsonl: pm/P01=1 pm/P02=2 pm/P03=2")
	want := []string{".gitignore", ".lock", ".origin", "RESULTS.md", "archive/", "archive/20260301T120000Z/",
		"archive/20260301T120000Z/RESULTS.md", "archive/20260301T120000Z/environment.json",
		"archive/20260301T120000Z/ml-agent-20260301T120000Z.jsonl", "archive/20260301T120000Z/pm-agent-20260301T120000Z.jsonl",
		"environment.json", "ml-agent-20260301T120000Z.jsonl", "own-agent-20260301T120000Z.jsonl", "pm-agent-20260301T120000Z.jsonl",
		"rolling/", "rolling/ml-agent.jsonl", "rolling/own-agent.jsonl", "rolling/pm-agent.jsonl", "runs.json"}
	if d := cmp.Diff(want, list(t, dir)); d != "" {
		t.Error(d)
	}
	if read(t, filepath.Join(dir, ignoreName)) != "*\n" || read(t, filepath.Join(dir, resultsName)) != "# r1\n" {
		t.Error(".gitignore or RESULTS.md is not what was written")
	}
	snap := s.Snapshot()
	if snap.Environment.RunID != "r2" || !snap.LastFull.Equal(noon) {
		t.Errorf("environment %+v, last full run %v", snap.Environment, snap.LastFull)
	}
	agents := map[string]string{}
	for f, records := range snap.ByAgent() {
		for _, r := range records {
			agents[r.Suite] = f.Agent
		}
	}
	if d := cmp.Diff(map[string]string{"ml": "ml-agent", "own": "own-agent", "pm": "pm-agent"}, agents); d != "" {
		t.Errorf("agents (-want +got):\n%s", d)
	}
	runs, err := s.Runs()
	must(t, err)
	old, err := s.ReadRun(runs[0])
	must(t, err)
	if d := cmp.Diff([]string{"ml-agent-20260301T120000Z.jsonl: ml/M01=1", "pm-agent-20260301T120000Z.jsonl: pm/P01=1 pm/P02=1"}, describe(old)); d != "" {
		t.Errorf("the archived run (-want +got):\n%s", d)
	}
	if d := cmp.Diff(suites.Environment{RunID: "r1", Time: "2026-03-01T12:00:00Z", OS: "linux"}, old.Environment); d != "" {
		t.Errorf("its environment (-want +got):\n%s", d)
	}
}

func TestFullRunReplacesEverything(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir)})
	runFull(t, s, "r1", noon, rec("r1", "pm/P01", "1"), rec("r1", "ml/M01", "1"))
	must(t, s.WriteComparison([]byte("r0 and r1")))
	runFull(t, s, "r2", noon.Add(time.Hour), rec("r2", "pm/P02", "2"))
	wantState(t, dir, "pm-agent-20260301T130000Z.jsonl: pm/P02=2")
	if _, err := os.Stat(filepath.Join(dir, comparisonName)); err == nil {
		t.Error("COMPARISON.md still compares earlier runs")
	}
}

func TestTwoFullRunsInOneSecond(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir)})
	for _, id := range []string{"r1", "r2", "r3"} {
		if id == "r2" && s.Stamp(noon) != "20260301T120000Z-2" {
			t.Errorf("the predicted stamp is %s", s.Stamp(noon))
		}
		runFull(t, s, id, noon.Add(500*time.Millisecond), rec(id, "pm/P01", id))
	}
	wantState(t, dir, "pm-agent-20260301T120000Z-3.jsonl: pm/P01=r3")
	runs, err := s.Runs()
	must(t, err)
	var ids []string
	for _, r := range runs {
		snap, err := s.ReadRun(r)
		must(t, err)
		ids = append(ids, snap.Environment.RunID+"="+snap.Records[0].Note)
	}
	if want := []string{"r3=r3", "r2=r2", "r1=r1"}; !slices.Equal(ids, want) {
		t.Errorf("archived runs %v, want %v", ids, want)
	}
}

// TestClockGoesBack checks that runs stay in the order in which they ended, and so does
// the present state, if the clock is set back.
func TestClockGoesBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir)})
	var ids []string
	for i, after := range []time.Duration{0, -time.Hour, -time.Minute, -2 * time.Hour, time.Second} {
		id := fmt.Sprint("r", i)
		ids = append([]string{id}, ids...)
		runFull(t, s, id, noon.Add(after), rec(id, "pm/P01", id))
		var got []string
		runs, err := s.Runs()
		must(t, err)
		for _, r := range runs {
			run, err := reader(t, dir).ReadRun(r)
			must(t, err)
			got = append(got, run.Environment.RunID)
		}
		if !slices.Equal(got, ids) {
			t.Errorf("runs %v, want %v", got, ids)
		}
		present := s.Snapshot()
		state := []string{present.Environment.RunID}
		for _, r := range present.Records {
			state = append(state, r.RunID)
		}
		if d := cmp.Diff([]string{id, id}, state); d != "" {
			t.Errorf("runs of the present state after %s (-want +got):\n%s", id, d)
		}
	}
}

// TestKilledAfterTheClockWentBack checks that a run that was archived is known to have
// ended.
func TestKilledAfterTheClockWentBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := Open(Options{Place: at(dir)})
	must(t, err)
	for n := range 4 {
		runFull(t, s, fmt.Sprint("r", n), noon.Add(time.Duration(n)*time.Hour), rec(fmt.Sprint("r", n), "pm/P01", ""))
	}
	last := rec("last", "pm/P01", "last")
	begin(t, s, "last", true, last)
	marker, err := os.ReadFile(filepath.Join(dir, markerName))
	must(t, err)
	must(t, s.EndFull([]suites.Record{last}, nil, suites.Environment{}, nil, noon.Add(-time.Hour)))
	must(t, s.Close())
	must(t, os.WriteFile(filepath.Join(dir, markerName), marker, 0o644)) // as after a kill right after the archive's rename
	next := open(t, Options{Place: at(dir)})
	if next.Interruption() != nil || next.Snapshot().Records[0].Note != "last" {
		t.Errorf("interrupted %+v, present %v", next.Interruption(), describe(next.Snapshot()))
	}
}

func TestInputsAreExplainedAsLongAsARecordNeedsThem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir)})
	a, b := rec("r1", "pm/P01", ""), rec("r1", "pm/P02", "")
	begin(t, s, "r1", true, a, b)
	must(t, s.EndFull([]suites.Record{a, b}, inputs("P01", "P02"), suites.Environment{}, nil, noon))
	c := rec("r2", "pm/P03", "")
	begin(t, s, "r2", false, c)
	must(t, s.EndSelected([]suites.Record{c}, inputs("P03"), suites.Environment{}))
	if d := cmp.Diff(inputs("P01", "P02", "P03"), s.Snapshot().Inputs); d != "" {
		t.Error(d)
	}
	runFull(t, s, "r3", noon.Add(time.Hour), rec("r3", "pm/P01", ""))
	if d := cmp.Diff(inputs("P01"), s.Snapshot().Inputs); d != "" {
		t.Error(d)
	}
}

// TestInputsOfSelectedRunsDoNotPileUp checks that without any full run inputs.json has all
// inputs of the present state, and no more than about twice as many.
func TestInputsOfSelectedRunsDoNotPileUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir)})
	for n := range 250 {
		r := rec(fmt.Sprint("r", n), "pm/P01", "")
		r.Digests.Inputs = fmt.Sprint("in-", n)
		begin(t, s, r.RunID, false, r)
		must(t, s.EndSelected([]suites.Record{r}, inputs(fmt.Sprint(n)), suites.Environment{}))
	}
	explained := s.Snapshot().Inputs
	if len(explained) > mostInputs(1) || explained["in-249"] == nil || len(s.state.known) != len(explained) {
		t.Errorf("%d digests are explained, %d known, the latest %v", len(explained), len(s.state.known), explained["in-249"])
	}
}

func TestOnlyOneStoreOnADirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := Open(Options{Place: at(dir)})
	must(t, err)
	var locked *LockedError
	if _, err := Open(Options{Place: at(dir)}); !errors.As(err, &locked) {
		t.Fatalf("the second got %v", err)
	}
	if d := cmp.Diff(&LockedError{Dir: dir, PID: os.Getpid()}, locked); d != "" {
		t.Errorf("the second (-want +got):\n%s", d)
	}
	if _, err := present(dir); err != nil {
		t.Errorf("reading needs no lock, but: %v", err)
	}
	must(t, first.Close())
	second, err := Open(Options{Place: at(dir)})
	must(t, err)
	must(t, second.Close())
}

func TestReadWritesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "none")
	snap, err := present(dir)
	must(t, err)
	if len(snap.Records) != 0 {
		t.Error("records out of nowhere")
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("reading made the directory")
	}
}

func TestRecordsThatCannotBeKept(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Place: at(t.TempDir())})
	if err := s.Append(rec("r1", "pm/P01", "")); err == nil {
		t.Error("a record before any run")
	}
	if err := s.EndSelected(nil, nil, suites.Environment{}); err == nil {
		t.Error("the end of no run")
	}
	must(t, s.Begin(Run{ID: "r1", Agents: map[string]string{"bad": "../x"}}))
	for _, r := range []suites.Record{rec("r0", "pm/P01", ""), rec("r1", "pm/", ""), rec("r1", "bad/B", "")} {
		if err := s.Append(r); err == nil {
			t.Errorf("%s of %s was kept", r.Key(), r.RunID)
		}
	}
}

func TestFilesOfAnotherToolGoToTheArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "pm-agent-20260220T154932Z.jsonl"), foreignLine+"\n")
	write(t, filepath.Join(dir, "dep-agent-20260220T154717Z.jsonl"), foreignLine+"\n")
	write(t, filepath.Join(dir, "notes.jsonl"), "mine\n")
	write(t, filepath.Join(dir, resultsName), "theirs")
	write(t, filepath.Join(dir, ignoreName), "*.jsonl\n")
	s := open(t, Options{Place: at(dir)})
	if snap := s.Snapshot(); len(snap.Records) != 2 || !snap.LastFull.IsZero() {
		t.Errorf("before a run: %v, last full run %v", describe(snap), snap.LastFull)
	}
	runSelected(t, s, "r1", rec("r1", "pm/P01", "1"))
	wantState(t, dir, "pm-agent-20260301T120000Z.jsonl: pm/P01=1")
	was := filepath.Join(dir, archiveName, "20260220T154932Z")
	if got, want := list(t, was), []string{"RESULTS.md", "dep-agent-20260220T154717Z.jsonl", "notes.jsonl", "pm-agent-20260220T154932Z.jsonl"}; !slices.Equal(got, want) {
		t.Errorf("the archive holds %v, want %v", got, want)
	}
	if read(t, filepath.Join(dir, ignoreName)) != "*.jsonl\n" || read(t, filepath.Join(was, "notes.jsonl")) != "mine\n" {
		t.Error("a file of another owner was changed")
	}
}

func TestUnwritable(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	var failed *WriteError
	_, err := Open(Options{Place: Place{Base: filepath.Dir(file), Dir: filepath.Join(file, "results")}})
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "is a file (remove it) (or set results.dir") {
		t.Errorf("got %v", err)
	}
	full := &WriteError{"results", &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}}
	if want := "cannot keep results in results: write x: no space left on device (the disk is full: free some space"; !strings.HasPrefix(full.Error(), want) {
		t.Errorf("got %v", full)
	}
}

// TestDirectoryDeleted checks that a run ends in the new directory if the directory is
// deleted at any time, and so do later runs.
func TestDirectoryDeleted(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(*testing.T, *Store, func()){
		"between runs": func(t *testing.T, s *Store, vanish func()) {
			runSelected(t, s, "r1", rec("r1", "pm/P01", "1"))
			vanish()
			runSelected(t, s, "r2", rec("r2", "pm/P02", "2"))
			if !strings.Contains(read(t, filepath.Join(s.o.Dir, rollingName, "pm-agent.jsonl")), `"run_id":"r2"`) {
				t.Error("the rolling log is not where it should be")
			}
		},
		"before a run grows": func(t *testing.T, s *Store, vanish func()) {
			must(t, s.Begin(Run{ID: "r2"}))
			vanish()
			runSelected(t, s, "r2", rec("r2", "pm/P02", "2"))
		},
		"before a run ends": func(t *testing.T, s *Store, vanish func()) {
			must(t, s.Begin(Run{ID: "r2"}))
			vanish()
			must(t, s.EndSelected([]suites.Record{rec("r2", "pm/P02", "2")}, nil, suites.Environment{}))
		},
		"within a run that never ends": func(t *testing.T, s *Store, vanish func()) {
			must(t, s.Begin(Run{ID: "r1"}))
			vanish()
			runSelected(t, s, "r2", rec("r2", "pm/P02", "2"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "results")
			s := open(t, Options{Place: at(dir)})
			between(t, s, func() { must(t, os.RemoveAll(dir)) })
			wantState(t, dir, "pm-agent-20260301T120000Z.jsonl: pm/P02=2")
		})
	}
}

// TestMain lets the test binary be the process that gets killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDirVariable); dir != "" {
		recordUntilKilled(dir)
		return
	}
	heldLimit = 160 << 20 // so that bombs can be small
	processtest.VerifyTestMain(m, nil)
}
