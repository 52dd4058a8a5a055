//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
	"hookwatch/watcher/testdata/editstest"
)

// quiet is how long nothing may be heard of a session for it to be asked whether
// it rests: longer than it holds anything back.
const quiet = 80 * time.Millisecond

// TestEditSequences lets editors, git and people do their worst to the files of
// a watching session. Whenever it rests, its verdicts are those of a full run of
// what is there then, it has none of another content, and it has started no run
// without a change. HOOKWATCH_TEST_SEQUENCES sets the number of sequences,
// HOOKWATCH_TEST_SEED which.
func TestEditSequences(t *testing.T) {
	t.Parallel()
	n, seed := number(t, "HOOKWATCH_TEST_SEQUENCES", 3), number(t, "HOOKWATCH_TEST_SEED", int(time.Now().UnixNano()))
	for i, isolation := range []string{"none", "none", "namespaces"} {
		share := max(n/4, 1)
		if i == 0 {
			share = n - 2*share
		}
		t.Run(fmt.Sprintf("%s %d", isolation, i), func(t *testing.T) {
			t.Parallel()
			editSequences(t, uint64(seed+i), share, isolation)
		})
	}
}

func editSequences(t *testing.T, seed uint64, n int, isolation string) {
	t.Helper()
	t.Logf("seed %d, %d sequences", seed, n)
	root := newEdited(t)
	e := &edited{watched: watch(t, root, "HOOKWATCH_ISOLATION="+isolation), isolation: isolation, sentinel: editedSentinel}
	defer e.logHeard()
	// Which files the hooks write is found in runs that nothing is heard of.
	e.rested()
	e.disk = realDisk{t, root, e.cmd.Process}
	e.rests()
	var s editstest.Sequence
	defer func() {
		if t.Failed() {
			t.Logf("after %s:\n%s", strings.Join(s.Ways, ", "), listed(s.Ops))
		}
	}()
	g := editstest.NewGenerator(editedProject(floodOf(t)), seed)
	for i := range n {
		s = g.Next()
		e.do(s)
		if !e.right(s) {
			t.Fatalf("after sequence %d of seed %d", i, seed)
		}
	}
	e.quit()
	t.Logf("%d sequences, %d runs: 0 lost, 0 self-triggered", n, e.runs)
}

func listed(ops []editstest.Op) string {
	var s strings.Builder
	for _, o := range ops[:min(len(ops), 200)] {
		fmt.Fprintf(&s, "  %v\n", o)
	}
	return s.String()
}

// floodOf is a number of files whose coming and going overflows the event queue.
func floodOf(t testing.TB) int {
	t.Helper()
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		return 0
	}
	limit, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || limit > 1<<17 {
		return 0
	}
	return limit*2/3 + 500 // each gives two events or more
}

// An edited session is watched while its files are edited.
type edited struct {
	*watched
	disk      realDisk
	isolation string
	sentinel  string // a file that the session follows and no case depends on
	asked     int
	open      string // the run in progress
	runs      int
	changes   int // since the last rest, with a selection
	started   int // runs since the last rest
	heard     []event
}

func (e *edited) do(s editstest.Sequence) {
	e.changes, e.started, e.heard = 0, 0, nil
	for _, o := range s.Ops {
		e.disk.Do(o)
	}
}

// right reports whether the resting session has the verdicts of a full run.
func (e *edited) right(s editstest.Sequence) bool {
	e.t.Helper()
	e.rests()
	left, fresh := e.verdicts("present", e.path(".claude/tests/hooks/results")), e.fresh()
	// Of a case that is no more the last verdict stays until the next full run.
	maps.DeleteFunc(left, func(id string, _ stood) bool { _, there := fresh[id]; return !there })
	if diff := cmp.Diff(fresh, left); diff != "" {
		e.t.Errorf("not as a full run has it (-full run +session):\n%s", diff)
	}
	if s.Still && e.started > 0 {
		e.t.Errorf("%d runs, though nothing changed", e.started)
	}
	if e.started > e.changes {
		e.t.Errorf("%d runs for %d changes", e.started, e.changes)
	}
	return !e.t.Failed()
}

// logHeard logs the events since the last rest if the test failed.
func (e *edited) logHeard() {
	if !e.t.Failed() {
		return
	}
	for _, h := range e.heard {
		line := fmt.Sprintf("heard %s %s %v selected %v %s pass %v %q %s", h.Event, h.RunID, h.Changes, h.Selected, h.Record.ID, h.Record.Pass, h.Record.ActualOutput, h.Text)
		e.t.Logf("%.2000s", line)
	}
}

// rests waits until the session has seen all edits and has nothing left to do. To find out, it
// saves a file that no case depends on, so that the question hides no lost edit. Events keep their
// order, so earlier saves are reported before this one or with it. Because the session rested
// already, a case that this save selects was lost before.
func (e *edited) rests() {
	e.t.Helper()
	limit := time.Now().Add(ceiling)
	for time.Now().Before(limit) {
		e.falls()
		e.asked++
		put(e.path(e.sentinel)+".tmp", os.O_TRUNC, strconv.Itoa(e.asked))
		if err := os.Rename(e.path(e.sentinel)+".tmp", e.path(e.sentinel)); err != nil {
			e.t.Fatal(err)
		}
		if e.answered() {
			return
		}
	}
	e.t.Fatalf("no rest after %s", ceiling)
}

// falls waits until nothing has been heard for a while.
func (e *edited) falls() {
	e.t.Helper()
	limit := time.NewTimer(ceiling)
	defer limit.Stop()
	for {
		select {
		case ev, ok := <-e.events:
			if !ok {
				e.t.Fatal("hookwatch ended")
			}
			e.hear(ev)
		case <-time.After(quiet):
			if e.open == "" {
				return
			}
		case <-limit.C:
			e.t.Fatalf("no end of run %s after %s", e.open, ceiling)
		}
	}
}

// answered waits for the answer and reports whether no other event came before it. A question that
// was asked under another configuration has no answer, because that one need not watch the file,
// and newly watched files are read without an event.
func (e *edited) answered() bool {
	e.t.Helper()
	var others, reread bool
	seen := e.until("the answer", func(ev event) bool {
		e.hear(ev)
		// About the current project, or late: a busy machine may rest after the quiet.
		said := ev.Event == "warning" || ev.Event == "problems" || ev.Event == "rested"
		others = others || !said && (ev.Event != "changed" || len(ev.Changes) > 1 || ev.Changes[0].Path != e.sentinel)
		reread = reread || ev.changed(projectConfig)
		return ev.changed(e.sentinel) || reread && ev.Event == "rested"
	})
	if last := seen[len(seen)-1]; !others && len(last.Selected) > 0 {
		e.t.Errorf("these stale cases were not run: %v, after\n%s", last.Selected, e.lately())
	}
	return !others
}

// lately returns the last events, to diagnose a failure.
func (e *edited) lately() string {
	var text strings.Builder
	for _, ev := range e.heard[max(0, len(e.heard)-30):] {
		fmt.Fprintf(&text, "  %s %s %v %v %s %v\n", ev.Event, ev.RunID, ev.Changes, ev.Selected, ev.Text, ev.Record.Key())
	}
	return text.String()
}

// hear keeps account of an event.
func (e *edited) hear(ev event) {
	e.heard = append(e.heard, ev)
	switch ev.Event {
	case "changed":
		if len(ev.Selected) > 0 {
			e.changes++
		}
	case "run_started":
		if e.open != ev.RunID {
			e.runs++
			e.started++
		}
		e.open = ev.RunID
	case "run_done":
		e.open = ""
	}
}

// A stood verdict is the verdict of a case, with the hook's output, or the note if there
// is no output. The note on a missing hook may suggest a file that nothing depends on.
type stood struct {
	Pass   bool
	Output string
}

var suggestion = regexp.MustCompile(`; did you mean [^?]+\?`)

func stoodOf(r suites.Record) stood {
	if r.ActualOutput == "" {
		return stood{r.Pass, suggestion.ReplaceAllString(r.Note, "")}
	}
	return stood{r.Pass, r.ActualOutput}
}

// verdicts reads the present state in a directory of results.
func (e *edited) verdicts(what, dir string) map[string]stood {
	e.t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		e.t.Fatalf("%s: no results in %s: %v", what, dir, err)
	}
	out := map[string]stood{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			e.t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var r suites.Record
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				e.t.Fatalf("%s: %v in %q", f, err, line)
			}
			out[r.Key().String()] = stoodOf(r)
		}
	}
	return out
}

// fresh returns the verdicts of a full run without earlier records.
func (e *edited) fresh() map[string]stood {
	e.t.Helper()
	dir := e.t.TempDir()
	cmd := program(e.t, e.root, "--once", "--format", "json")
	cmd.Env = append(cmd.Env, "HOOKWATCH_ISOLATION="+e.isolation, "HOOKWATCH_RESULTS_DIR="+dir)
	out, err := cmd.Output()
	var document struct {
		Total int             `json:"total"`
		Cases []suites.Record `json:"cases"`
	}
	if json.Unmarshal(out, &document) != nil || document.Total == 0 {
		e.t.Fatalf("--once: %v\n%s", err, out)
	}
	verdicts := map[string]stood{}
	for _, r := range document.Cases {
		verdicts[r.Key().String()] = stoodOf(r)
	}
	return verdicts
}
