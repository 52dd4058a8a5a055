package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/process/testdata/processtest"
	"hookwatch/suites/record"
)

// TestKilled ends full runs and watching sessions with SIGKILL at random moments. Every announced
// verdict must be on record, no line torn, no process left and nothing mounted; the next start must
// report the interrupted run and leave no sandbox, and a run after that must be complete.
// HOOKWATCH_TEST_KILLS sets the number of kills (default 3).
func TestKilled(t *testing.T) {
	t.Parallel()
	kills := number(t, "HOOKWATCH_TEST_KILLS", 3)
	k := newKilling(t, uint64(number(t, "HOOKWATCH_TEST_SEED", int(time.Now().UnixNano()))))
	results := filepath.Join(k.root, ".claude/tests/hooks/results")
	interrupted, announced := 0, 0
	for i := range kills {
		from := "" // the start of the program
		if i%2 == 0 {
			from = "run_started" // however long that takes here
		}
		cases := k.kill(from, i/2%2 == 0)
		announced += len(cases)
		k.nothingRuns()
		checkKept(t, results, cases)
		midway := underWay(t, results)
		if k.nextStartReports(results) != midway {
			t.Errorf("a run was under way when it was killed: %v; the next start reports the opposite", midway)
		}
		k.nothingIsLeft(results)
		if midway {
			interrupted++
		}
		if t.Failed() {
			t.Fatalf("kill %d", i)
		}
		if i%100 == 99 {
			t.Logf("%d kills, %d of them during a run, %d verdicts announced", i+1, interrupted, announced)
		}
	}
	t.Logf("%d kills, %d of them during a run, %d verdicts announced", kills, interrupted, announced)
	if interrupted == 0 {
		t.Error("no kill met a run")
	}
	out, err := k.command("--once", "--format", "json").Output()
	if err != nil {
		t.Fatalf("the run after all kills: %v\n%s", err, out)
	}
}

// underWay reports whether a run was under way: its marker is there, and it is not
// archived, which ends a full one.
func underWay(t *testing.T, results string) bool {
	t.Helper()
	var marker, archived struct {
		RunID string `json:"run_id"`
	}
	text, err := os.ReadFile(filepath.Join(results, "running.json"))
	if err != nil {
		return false
	}
	if err := json.Unmarshal(text, &marker); err != nil {
		t.Fatal(err)
	}
	ended, err := filepath.Glob(filepath.Join(results, "archive", "[0-9]*", "environment.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range ended {
		if text, err = os.ReadFile(file); err == nil {
			err = json.Unmarshal(text, &archived)
		}
		if err != nil {
			t.Fatal(err)
		}
		if archived.RunID == marker.RunID {
			return false
		}
	}
	return true
}

// A killing is a project whose sessions are killed, each after the other.
type killing struct {
	t       *testing.T
	root    string
	random  *rand.Rand
	program string // its own copy, which identifies the processes it starts
	temp    string
	home    string
	hook    string // the text of the hook that is saved
	saves   int
}

func newKilling(t *testing.T, seed uint64) *killing {
	t.Helper()
	t.Logf("seed %d", seed)
	k := &killing{t: t, root: newSmall(t, 30), random: rand.New(rand.NewPCG(seed, 0)), temp: t.TempDir(), home: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	k.program = filepath.Join(t.TempDir(), "killed"+filepath.Ext(self))
	text, err := os.ReadFile(self)
	if err == nil {
		err = processtest.WriteProgram(k.program, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err = os.ReadFile(filepath.Join(k.root, smallHook))
	if err != nil {
		t.Fatal(err)
	}
	k.hook = string(text)
	return k
}

// killMark is in the environment of what the program starts for cases, with the
// directory of the test in it.
const killMark = "HOOKWATCH_TEST_KILLED"

// command runs the program of its own, in surroundings that every one of them has.
func (k *killing) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(k.t.Context(), k.program, args...)
	cmd.Dir = k.root
	cmd.Env = []string{
		asProgram + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + k.home, "TMPDIR=" + k.temp, "XDG_STATE_HOME=" + k.home,
		"CI=true", raceOptions, killMark + "=" + k.temp, "HOOKWATCH_PASS_ENV=GORACE," + killMark,
	}
	return cmd
}

// save gives the hook another content, of the same effect.
func (k *killing) save() {
	k.saves++
	text := fmt.Sprintf("%s\n: %d\n", k.hook, k.saves)
	temp := filepath.Join(k.root, smallHook) + ".tmp"
	if err := os.WriteFile(temp, []byte(text), 0o755); err != nil {
		k.t.Error(err)
	}
	if err := os.Rename(temp, filepath.Join(k.root, smallHook)); err != nil {
		k.t.Error(err)
	}
}

// kill starts a full run or a watching session and kills it some time after an
// event, or its start, unless it has ended. What is watched is saved before, and
// again and again until the end. It returns the records that were announced.
func (k *killing) kill(from string, once bool) []suites.Record {
	k.t.Helper()
	after := time.Duration(k.random.Int64N(int64(800 * time.Millisecond)))
	if once {
		cases, _ := k.runUntil(from, after, "--once")
		return cases
	}
	k.save()
	over, saved := make(chan struct{}), make(chan struct{})
	every := time.Duration(1+k.random.IntN(400)) * time.Millisecond
	go func() {
		defer close(saved)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				k.save()
			case <-over:
				return
			}
		}
	}()
	cases, _ := k.runUntil(from, after)
	close(over)
	<-saved
	return cases
}

// nextStartReports runs one case and returns whether the run first warns of an interrupted run.
// Afterwards no line may be torn.
func (k *killing) nextStartReports(results string) (reported bool) {
	t := k.t
	t.Helper()
	_, warnings := k.runUntil("", ceiling, "--once", "--filter", "A1")
	for _, text := range warnings {
		reported = reported || strings.Contains(text, "was interrupted after")
	}
	torn, err := reader(t, results).History(func(string, suites.Record) bool { return true })
	if err != nil || len(torn) > 0 {
		t.Errorf("after the next start: %v, %v", torn, err)
	}
	return reported
}

// runUntil starts hookwatch and kills it some time after an event, or its start,
// unless it has ended. It returns the records that were announced and the warnings.
func (k *killing) runUntil(from string, after time.Duration, args ...string) (cases []suites.Record, warnings []string) {
	t := k.t
	t.Helper()
	cmd := k.command(append(args, "--format", "jsonl")...)
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
	lines, begun := bufio.NewReader(out), false
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
			if !begun { // it is reported again when it grows
				kill.Reset(after)
			}
			begun = true
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
