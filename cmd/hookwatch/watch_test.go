package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/cmd/internal/notify/testdata/desktoptest"
	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/reference"
)

// ceiling is the longest time that a test waits for an event.
const ceiling = 8 * time.Minute

// A watched is a watching hookwatch over a copy of the reference project, in a
// directory with a space in its name.
type watched struct {
	t      testing.TB
	root   string
	cmd    *exec.Cmd
	events chan event
}

// An event is a line of --format jsonl, as far as these tests look at it.
type event struct {
	Event    string `json:"event"`
	RunID    string `json:"run_id"`
	Selected []struct {
		ID      string   `json:"id"`
		Suite   string   `json:"suite"`
		Because []string `json:"because"`
	} `json:"selected"`
	Changes []struct {
		Path string `json:"path"`
	} `json:"changes"`
	Record      suites.Record `json:"case"`
	Transition  string        `json:"transition"`
	Failed      int           `json:"failed"`
	Passed      int           `json:"passed"`
	Regressions []struct {
		ID string `json:"id"`
	} `json:"regressions"`
	Resolved []struct {
		ID string `json:"id"`
	} `json:"resolved"`
	Text    string        `json:"text"`
	State   *suites.State `json:"state"`
	Cases   int           `json:"cases"`
	Total   int           `json:"total"`
	All     int           `json:"all_cases"`
	Watched int           `json:"watched"`
}

// changed reports whether the event is of a change of the file.
func (e event) changed(file string) bool {
	for _, c := range e.Changes {
		if c.Path == file {
			return e.Event == "changed"
		}
	}
	return false
}

// projectConfig is a project's configuration.
const projectConfig = ".hookwatch.yaml"

func newReference(t testing.TB) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "my project")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := reference.Linters.Extract(root); err != nil {
		t.Fatal(err)
	}
	keepOnly(t, root, "enforce_package_managers.sh")
	return root
}

// keepOnly leaves one hook of the reference project, and no suite of its own, which is
// about all: the others take their time over git and jq.
func keepOnly(t testing.TB, root, script string) {
	t.Helper()
	scripts, err := filepath.Glob(filepath.Join(root, ".claude/hooks/*.sh"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no hooks in %s: %v", root, err)
	}
	for _, s := range scripts {
		if filepath.Base(s) != script {
			if err := os.Remove(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.RemoveAll(filepath.Join(root, ".claude/tests")); err != nil {
		t.Fatal(err)
	}
	settings := `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command",
		"command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/` + script + `"}]}]}}`
	if err := os.WriteFile(filepath.Join(root, ".claude/settings.json"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
}

// raceOptions spare the stand-in, which is this test binary, the second that a
// program built with the race detector sleeps before it exits.
const raceOptions = "GORACE=atexit_sleep_ms=0"

// program is a command that runs hookwatch in root.
// releasedVariable names a program that is measured in the place of this one, which
// has the tests in it.
const releasedVariable = "BENCH_HOOKWATCH"

func program(t testing.TB, root string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if released := os.Getenv(releasedVariable); released != "" {
		self = released
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Dir = root
	home := t.TempDir()
	cmd.Env = []string{
		asProgram + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + t.TempDir(),
		"XDG_STATE_HOME=" + root + ".state", "CI=true", raceOptions, "HOOKWATCH_PASS_ENV=GORACE",
		"HOOKWATCH_SETTLE=10ms",
	}
	return cmd
}

func watch(t testing.TB, root string, env ...string) *watched {
	t.Helper()
	return watchBy(t, nil, root, nil, env...)
}

// watchBy watches with a program that starts the one that it is given, and with further arguments.
func watchBy(t testing.TB, by []string, root string, args []string, env ...string) *watched {
	t.Helper()
	w := &watched{t: t, root: root, cmd: program(t, root, append(args, "--format", "jsonl")...), events: make(chan event, 100000)}
	if len(by) > 0 {
		w.cmd.Path, w.cmd.Args = by[0], slices.Concat(by, []string{w.cmd.Path}, w.cmd.Args[1:])
	}
	w.cmd.Env = append(w.cmd.Env, env...)
	w.cmd.Stderr = os.Stderr
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(w.events)
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var e event
			if json.Unmarshal(line, &e) == nil {
				w.events <- e
			}
		}
	}()
	return w
}

// quit interrupts the session and expects that it ends so.
func (w *watched) quit() {
	w.t.Helper()
	if err := w.cmd.Process.Signal(os.Interrupt); err != nil {
		w.t.Fatal(err)
	}
	for range w.events { // to its end
	}
	if err := w.cmd.Wait(); w.cmd.ProcessState.ExitCode() != 130 {
		w.t.Errorf("watching ended with %v", err)
	}
}

// until waits for an event and returns all up to it.
func (w *watched) until(what string, is func(event) bool) []event {
	w.t.Helper()
	var seen []event
	limit := time.NewTimer(ceiling)
	defer limit.Stop()
	for {
		select {
		case e, ok := <-w.events:
			if !ok {
				w.t.Fatalf("hookwatch ended while waiting for %s", what)
			}
			seen = append(seen, e)
			if is(e) {
				return seen
			}
		case <-limit.C:
			w.t.Fatalf("no %s after %s; seen %+v", what, ceiling, seen)
		}
	}
}

func (w *watched) runDone() []event {
	w.t.Helper()
	return w.until("end of a run", func(e event) bool { return e.Event == "run_done" })
}

// rested waits until nothing is left to do, including background work.
func (w *watched) rested() []event {
	w.t.Helper()
	return w.until("rest", func(e event) bool { return e.Event == "rested" })
}

// warned waits for a warning and returns all up to it.
func (w *watched) warned(text string) []event {
	w.t.Helper()
	return w.until(text, func(e event) bool { return e.Event == "warning" && strings.Contains(e.Text, text) })
}

// verdict waits for the end of a run after which the case stands like this.
func (w *watched) verdict(id string, pass bool) []event {
	w.t.Helper()
	last := !pass
	return w.until(id+" settled", func(e event) bool {
		if e.Event == "case" && e.Record.ID == id {
			last = e.Record.Pass
		}
		return e.Event == "run_done" && last == pass
	})
}

func (w *watched) transitions() event {
	w.t.Helper()
	seen := w.until("transitions", func(e event) bool { return e.Event == "transitions" })
	return seen[len(seen)-1]
}

func (w *watched) path(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

func (w *watched) read(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(w.path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// write truncates and writes, as simple editors do.
func (w *watched) write(name, content string) {
	w.t.Helper()
	f, err := os.OpenFile(w.path(name), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(content); err != nil {
		w.t.Fatal(err)
	}
}

// replace saves by rename, as careful editors do.
func (w *watched) replace(name, content string) {
	w.t.Helper()
	temp := w.path(name) + ".tmp~"
	if err := os.WriteFile(temp, []byte(content), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(temp, w.path(name)); err != nil {
		w.t.Fatal(err)
	}
}

const (
	hook   = ".claude/hooks/enforce_package_managers.sh"
	config = ".claude/hooks/config.json"
)

// mark is the line that breaks the hook: it approves all.
const mark = `echo '{"decision": "approve"}'; exit 0`

func broken(text string) string {
	return strings.Replace(text, "set -euo pipefail\n", "set -euo pipefail\n"+mark+"\n", 1)
}

// TestWatchEdits saves a file in many ways: each time, the last verdict is that of the last content,
// and the user is notified once.
func TestWatchEdits(t *testing.T) {
	t.Parallel()
	bus := desktoptest.StartBus(t)
	desktop := desktoptest.Serve(t, bus, false)
	root := newReference(t)
	writeFiles(t, root, map[string]string{projectConfig: "suites: [\"builtin:pm\"]\n"})
	w := watchBy(t, nil, root, []string{"--filter", "P0*"}, "DBUS_SESSION_BUS_ADDRESS="+bus, "CI=")
	first := w.runDone()
	if last := first[len(first)-1]; last.Failed != 0 || last.Passed == 0 {
		t.Fatalf("the first run: %+v", last)
	}
	good := w.read(hook)
	bad := broken(good)
	if bad == good {
		t.Fatal("the hook was not broken")
	}

	w.write(hook, bad)
	w.verdict("P01", false)
	if e := w.transitions(); !named(e.Regressions, "P01") || len(e.Resolved) != 0 {
		t.Errorf("breaking the rule was reported as %+v", e)
	}
	w.notified(desktop, "regression of ")
	w.replace(hook, good)
	w.verdict("P01", true)
	if e := w.transitions(); !named(e.Resolved, "P01") || len(e.Regressions) != 0 {
		t.Errorf("repairing it was reported as %+v", e)
	}
	w.notified(desktop, "resolved: ")

	w.configKey()
	w.touched()

	w.write(hook, bad) // twice within 5 ms
	w.settles(0, good)
	w.replace(hook, good)
	w.settles(1, bad)
	w.write(hook, good+"\n: during a run\n")
	w.until("a case of the run", func(e event) bool { return e.Event == "case" })
	w.settles(2, bad)
	w.replace(hook, bad+"\n: during a run\n")
	w.until("a case of the run", func(e event) bool { return e.Event == "case" })
	w.settles(3, good)
	w.quit()
	w.sameAsFullRun("--filter", "P0*")
}

// notified waits for a notification on the desktop, and for no more than one.
func (w *watched) notified(desktop *desktoptest.Service, body string) {
	w.t.Helper()
	select {
	case n := <-desktop.Shown:
		if n.Title != "hookwatch: my project" || !strings.HasPrefix(n.Body, body) || !strings.Contains(n.Body, "P01 pip_blocked") {
			w.t.Errorf("notified of %+v, want %s...", n, body)
		}
	case <-time.After(ceiling):
		w.t.Fatalf("no notification of %s", body)
	}
	if more := desktop.All(); len(more) > 0 {
		w.t.Errorf("notified again: %+v", more)
	}
}

func named(list []struct {
	ID string `json:"id"`
}, id string) bool {
	return slices.ContainsFunc(list, func(c struct {
		ID string `json:"id"`
	}) bool {
		return c.ID == id
	})
}

// configKey changes one key: all cases that run against that file are selected, and others only
// as long as they have no trace.
func (w *watched) configKey() {
	w.t.Helper()
	before := w.read(config)
	w.write(config, strings.Replace(before, `"python": "uv"`, `"python": "uv:warn"`, 1))
	seen := w.until("the change", func(e event) bool { return e.Event == "changed" && len(e.Selected) > 0 })
	var got []string
	for _, s := range seen[len(seen)-1].Selected {
		got = append(got, s.Suite+"/"+s.ID)
	}
	want := againstConfig(w.t, "package_managers.python")
	missing := slices.DeleteFunc(want, func(key string) bool { return slices.Contains(got, key) || !strings.HasPrefix(key, "pm/P0") })
	if len(missing) > 0 || len(got) == 0 {
		w.t.Errorf("package_managers.python did not select %v", missing)
	}
	w.verdict("P01", false)
	w.transitions()
	w.write(config, before)
	w.verdict("P01", true)
	w.transitions()
}

// againstConfig lists the cases of the suite pm that run against the project's own config.json
// or whose markers name the key, their controls, and the cases that have these for
// theirs.
func againstConfig(t testing.TB, key string) []string {
	t.Helper()
	all, err := catalog.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	selected := map[string]bool{}
	controls := map[string]string{}
	for _, s := range all {
		if s.Name != "pm" {
			continue // the others do not count
		}
		for _, c := range s.Cases {
			marked := slices.ContainsFunc(c.Verify, func(m string) bool { return strings.Contains(m, "config.json §"+key) })
			if c.Layer == suites.Live {
				continue // skipped whatever it depends on
			}
			if (c.Project == nil && c.Repo == nil) || marked {
				selected[c.Key().String()] = true
			}
			if c.Control != "" {
				controls[c.Key().String()] = c.ControlKey().String()
			}
		}
	}
	for grown := true; grown; {
		grown = false
		for c, control := range controls {
			if selected[c] != selected[control] {
				selected[c], selected[control], grown = true, true, true
			}
		}
	}
	var out []string
	for c := range selected {
		out = append(out, c)
	}
	return out
}

// touched: a file that is written without being changed selects nothing. The
// next real change is the first thing that is heard of.
func (w *watched) touched() {
	w.t.Helper()
	now := time.Now()
	if err := os.Chtimes(w.path(hook), now, now); err != nil {
		w.t.Fatal(err)
	}
	w.replace(hook, w.read(hook))
	const doc = "docs/specs/adr-package-manager-enforcement.md"
	before := w.read(doc)
	w.write(doc, strings.Replace(before, "\n## ", "\nA word more.\n\n## ", 1))
	seen := w.until("the change", func(e event) bool { return e.Event == "changed" })
	for _, e := range seen {
		if e.Event == "run_started" || (e.Event == "changed" && e.Changes[0].Path != doc) {
			w.t.Errorf("touching the hook led to %+v", e)
		}
	}
	w.write(doc, before)
	w.until("the change back", func(e event) bool { return e.Event == "changed" })
}

// settles saves a content that was not there before and waits until P01 stands
// as it has it.
func (w *watched) settles(n int, text string) {
	w.t.Helper()
	final := fmt.Sprintf("%s\n: save %d\n", text, n)
	if n%2 == 0 {
		w.write(hook, final)
	} else {
		w.replace(hook, final)
	}
	w.verdict("P01", !strings.Contains(text, mark))
}

// sameAsFullRun compares the state of the session with that of a new full run with these arguments.
func (w *watched) sameAsFullRun(args ...string) {
	w.t.Helper()
	left := w.state()
	cmd := program(w.t, w.root, append(args, "--once", "--format", "json")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("--once: %v\n%s", err, out)
	}
	fresh := w.state()
	if len(left) != len(fresh) || len(left) == 0 {
		w.t.Fatalf("%d cases on record, %d in a full run", len(left), len(fresh))
	}
	for id, pass := range fresh {
		if left[id] != pass {
			w.t.Errorf("%s: left as pass %v, a full run reports %v", id, left[id], pass)
		}
	}
}

// state reads the verdicts on record.
func (w *watched) state() map[string]bool {
	w.t.Helper()
	out, err := program(w.t, w.root, "query", `map({key: (.suite + "/" + .id), value: .pass}) | from_entries`).Output()
	if err != nil {
		w.t.Fatal(err)
	}
	var m map[string]bool
	if err := json.Unmarshal(out, &m); err != nil {
		w.t.Fatal(err)
	}
	return m
}

// TestWatchTraces saves a hook after a rest and checks that the traces which were made meanwhile
// keep the save from selecting a case that does not execute the edited lines.
func TestWatchTraces(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	hook := func(first, second string) string {
		return "#!/bin/bash\nif [ \"$1$WHICH\" = a ]; then\n  echo " + first + "\nelse\n  echo " + second + "\nfi\n"
	}
	writeFiles(t, root, map[string]string{
		".hookwatch.yaml": "hooks: [hooks]\nsuites: [suite.yaml]\nverify: off\nnotify: {desktop: false, settle: 1ms}\n",
		"suite.yaml": "suite: s\nhook: hooks/h.sh\nevent: Stop\ncases:\n" +
			"  - {id: A, name: a, env: {WHICH: a}, expect: {exit: 0, stdout: {contains: [one]}}}\n" +
			"  - {id: B, name: b, env: {WHICH: b}, expect: {exit: 0, stdout: {contains: [two]}}}\n",
		"hooks/h.sh": hook("one", "two"),
	})
	w := watch(t, root)
	w.rested()
	save := func(content, want string) {
		t.Helper()
		w.replace("hooks/h.sh", content)
		got := ""
		for _, e := range w.rested() {
			for _, s := range e.Selected {
				got += s.ID
			}
		}
		if got != want {
			t.Errorf("%q selected %q, want %q", content, got, want)
		}
	}
	save(hook("one", "2"), "B")
	save(hook("one", "3"), "B") // by the trace that was carried over the edit before
	save(hook("1", "3"), "A")
	save(hook("1", "3")+"# done\n", "")
	w.quit()
}
