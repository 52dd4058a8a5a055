package record

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// The variables that make the test binary record until it is killed.
const (
	crashDirVariable   = "RECORD_TEST_CRASH_DIR"
	crashKillsVariable = "RECORD_TEST_KILLS" // number of kills; 6 if unset
)

// recordUntilKilled performs full and selected runs forever. It prints "key number" once a
// record is on disk; the numbers increase.
func recordUntilKilled(dir string) {
	s, err := Open(Options{Place: at(dir), RollingSize: 1 << 20, KeepRuns: 3})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	if in := s.Interruption(); in != nil {
		fmt.Println("interrupted", in.RunID)
	}
	for n := int(time.Now().UnixNano()); ; n++ {
		id := strconv.Itoa(n)
		var records []suites.Record
		for i := range 12 {
			r := rec(id, fmt.Sprintf("%s/C%02d", []string{"pm", "ml"}[i%2], i), "")
			r.DurationMS = int64(n)
			r.ActualOutput = strings.Repeat("<>\n", 1+(n%30_000+i)*4001%30_000) // many pages, so that a write can be torn
			records = append(records, r)
		}
		err := s.Begin(Run{ID: id, Full: n%3 == 0, Started: time.Now(), Keys: keys(records)})
		for _, r := range records {
			err = errors.Join(err, s.Append(r))
			fmt.Println(r.Key(), n)
		}
		if n%3 == 0 {
			err = errors.Join(err, s.EndFull(records, inputs(id), suites.Environment{}, nil, time.Now()))
		} else {
			err = errors.Join(err, s.EndSelected(records, nil, suites.Environment{}))
		}
		if err != nil {
			fmt.Println("error", err)
			return
		}
	}
}

func TestKilledAtAnyMoment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be killed in the middle of a write there")
	}
	t.Parallel()
	kills := 6
	if n, err := strconv.Atoi(os.Getenv(crashKillsVariable)); err == nil {
		kills = n
	}
	var dir string
	var kept map[string]int64 // by key, the last number that was printed
	interrupted, torn := 0, 0
	for i := 0; i < kills || interrupted == 0 && i < 50*kills; i++ { // none of a few kills may meet a run
		if i%10 == 0 { // the logs are read completely every time, so they must not grow without limit
			dir, kept = t.TempDir(), map[string]int64{}
		}
		killAfter(t, dir, rand.IntN(50), time.Duration(rand.IntN(30))*time.Millisecond, kept)
		s := open(t, Options{Place: at(dir)})
		if s.Interruption() != nil {
			interrupted++
		}
		snap := s.Snapshot()
		torn += len(snap.Warnings)
		checkNothingLost(t, dir, snap, kept)
		must(t, s.Close())
		if t.Failed() {
			return
		}
	}
	if interrupted == 0 {
		t.Error("no run was ever interrupted, so this showed nothing")
	}
	t.Logf("at least %d kills: %d runs interrupted, %d torn lines cut", kills, interrupted, torn)
}

// killAfter kills a recording process some time after it has written a number of records,
// at any point of its work.
func killAfter(t *testing.T, dir string, lines int, later time.Duration, kept map[string]int64) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), crashDirVariable+"="+dir)
	out, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
	seen := bufio.NewScanner(out)
	for i := 0; seen.Scan(); i++ {
		if i == lines {
			time.AfterFunc(later, func() { _ = c.Process.Kill() })
		}
		key, number, _ := strings.Cut(seen.Text(), " ")
		if key == "error" {
			t.Fatal(number)
		}
		if n, err := strconv.ParseInt(number, 10, 64); err == nil && key != "interrupted" {
			kept[key] = n
		}
	}
	if err := c.Wait(); c.ProcessState.Exited() {
		t.Fatalf("it ended by itself: %v", err)
	}
}

func checkNothingLost(t *testing.T, dir string, snap *Snapshot, kept map[string]int64) {
	t.Helper()
	present := map[string]int64{}
	for _, r := range snap.Records {
		if _, twice := present[r.Key().String()]; twice {
			t.Errorf("%s is there twice", r.Key())
		}
		present[r.Key().String()] = r.DurationMS
	}
	logged := map[string]int64{}
	warned, err := reader(t, dir).History(func(_ string, r suites.Record) bool {
		logged[r.Key().String()] = max(r.DurationMS, logged[r.Key().String()])
		return true
	})
	must(t, err)
	if len(warned) > 0 {
		t.Errorf("torn lines are left: %q", warned)
	}
	for key, n := range kept {
		if present[key] < n || logged[key] < n {
			t.Errorf("%s: kept as of %d, but %d in the present state and %d in the log", key, n, present[key], logged[key])
		}
	}
	for _, name := range list(t, dir) {
		base := filepath.Base(name)
		if _, leftover := disk.IsLeftover(base); leftover || strings.HasPrefix(base, pendingPrefix) || base == markerName {
			t.Errorf("%s is left over", name)
		}
	}
	runs, err := reader(t, dir).Runs()
	must(t, err)
	for _, r := range runs {
		run, err := reader(t, dir).ReadRun(r)
		must(t, err)
		if len(run.Records) != 12 || run.Environment.RunID == "" {
			t.Errorf("the archived run %s is incomplete: %d records of run %q", r.Stamp, len(run.Records), run.Environment.RunID)
		}
		if d := cmp.Diff([]string(nil), run.Warnings, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("warnings of the archived run %s (-want +got):\n%s", r.Stamp, d)
		}
	}
}

func TestInterruptedRunIsTakenOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir)})
	runFull(t, s, "r1", noon, rec("r1", "pm/P01", "1"), rec("r1", "pm/P02", "1"))
	must(t, s.Begin(Run{ID: "r2", Full: true, Started: noon, Keys: []suites.Key{{Suite: "pm", ID: "P01"}, {Suite: "pm", ID: "P02"}}}))
	must(t, s.Append(rec("r2", "pm/P02", "first try")))
	must(t, s.Append(rec("r2", "pm/P02", "2")))
	must(t, s.Close())
	log := filepath.Join(dir, rollingName, "pm-agent.jsonl")
	write(t, log, read(t, log)+`{"hook":"torn`)
	write(t, filepath.Join(dir, ".RESULTS.md123"), "half")
	write(t, filepath.Join(dir, archiveName, pendingPrefix+"20260301T120000Z", "RESULTS.md"), "half")
	write(t, filepath.Join(dir, archiveName, pendingPrefix+"20260301T120000Z", ".environment.json7"), "half")

	again := open(t, Options{Place: at(dir)})
	want := &Interruption{RunID: "r2", Full: true, Planned: 2, Finished: 1, Started: noon}
	if d := cmp.Diff(want, again.Interruption()); d != "" {
		t.Errorf("interrupted (-want +got):\n%s", d)
	}
	wantState(t, dir, "pm-agent-20260301T120000Z.jsonl: pm/P01=1 pm/P02=2")
	if snap := again.Snapshot(); len(snap.Warnings) != 1 || !strings.Contains(snap.Warnings[0], "13 bytes were cut off") {
		t.Errorf("warnings %q", snap.Warnings)
	}
	if strings.Contains(read(t, log), "torn") {
		t.Error("the torn line is still there")
	}
	for _, name := range list(t, dir) {
		if strings.Contains(name, "123") || strings.Contains(name, pendingPrefix) || name == markerName {
			t.Errorf("%s is still there", name)
		}
	}
	must(t, again.Close())
	if third := open(t, Options{Place: at(dir)}); third.Interruption() != nil {
		t.Error("the same run was interrupted twice")
	}
}

func TestFullRunKilledAfterItsArchiveIsFinished(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir)})
	runFull(t, s, "r1", noon, rec("r1", "pm/P01", "1"), rec("r1", "ml/M01", "1"))
	old := read(t, filepath.Join(dir, "pm-agent-20260301T120000Z.jsonl"))
	ml := read(t, filepath.Join(dir, "ml-agent-20260301T120000Z.jsonl"))
	runFull(t, s, "r2", noon.Add(time.Hour), rec("r2", "pm/P01", "2"))
	must(t, s.writeMarker(markerOf(Run{ID: "r2", Full: true})))
	must(t, s.Close())
	// As if killed right after the archive's rename, with one file in place.
	write(t, filepath.Join(dir, "pm-agent-20260301T120000Z.jsonl"), old)
	write(t, filepath.Join(dir, "ml-agent-20260301T120000Z.jsonl"), ml)
	write(t, filepath.Join(dir, resultsName), "# r1\n")

	again := open(t, Options{Place: at(dir)})
	wantState(t, dir, "pm-agent-20260301T130000Z.jsonl: pm/P01=2")
	if read(t, filepath.Join(dir, resultsName)) != "# r2\n" || again.Interruption() != nil {
		t.Errorf("RESULTS.md is %q, interrupted %+v", read(t, filepath.Join(dir, resultsName)), again.Interruption())
	}
}

func TestSpoiltMarkerIsSaidAndPutAside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, markerName), "{")
	s := open(t, Options{Place: at(dir)})
	if w := strings.Join(s.Snapshot().Warnings, "\n"); !strings.Contains(w, "running.json: not readable") || !strings.Contains(w, "kept as running.json.unreadable-1") {
		t.Errorf("warnings %q", w)
	}
	if kept := read(t, filepath.Join(dir, markerName+".unreadable-1")); kept != "{" {
		t.Errorf("it is kept as %q", kept)
	}
	must(t, s.Close())
	if again := open(t, Options{Place: at(dir)}); len(again.Snapshot().Warnings) != 0 {
		t.Error("said again")
	}
}

func TestRunThatWasNotEndedIsEndedByTheNext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir)})
	begin(t, s, "r1", false, rec("r1", "pm/P01", "1"))
	begin(t, s, "r2", false, rec("r2", "pm/P02", "2"))
	wantState(t, dir, "pm-agent-20260301T120000Z.jsonl: pm/P01=1")
	must(t, s.EndSelected([]suites.Record{rec("r2", "pm/P02", "2")}, nil, suites.Environment{}))
	wantState(t, dir, "pm-agent-20260301T120000Z.jsonl: pm/P01=1 pm/P02=2")
}
