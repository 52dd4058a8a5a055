package run_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// turnsOf runs two processes of a bash hook in turns, and returns the content of n and the outcome.
func turnsOf(t *testing.T, hook string, turns suites.Turns) (n string, o suites.Outcome) {
	t.Helper()
	p := newProject(t)
	choice, err := sandbox.Choose(sandbox.Auto, sandbox.Options{Root: p.root, Home: t.TempDir(), Size: 64 << 20, Processes: 100}, p.temp)
	if err != nil {
		t.Skip("no namespaces: ", err)
	}
	p.write("hooks/hook", "#!/usr/bin/env bash\ncd \"$CLAUDE_PROJECT_DIR\"\n"+hook+"\n", 0o755)
	h := discover.Hook{ID: "h", Event: "PreToolUse", Type: "command", Command: "bash hooks/hook"}
	h.Timeout = time.Minute
	r := run.New(run.Options{Root: p.root, Temp: p.temp, Timeout: time.Minute, Isolation: choice, Env: run.Environment(os.Environ(), nil),
		Registered: func(string, string, string) (discover.Hook, bool) { return h, true }})
	t.Cleanup(r.Close)
	step := suites.Step{Event: "PreToolUse", Tool: "Bash", Command: "true"}
	last := step
	last.Expect.Files = []suites.FileExpectation{{Path: "{project}/n"}}
	o, err = r.Make(t.Context(), suites.Request{Case: &suites.Case{Suite: "t", ID: "T1", Layer: suites.Direct, Registered: "h", Turns: &turns, Steps: []suites.Step{step, last}}})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(o.Last().Files["{project}/n"])), o
}

// TestTurns checks that the chosen order of two processes takes place, and that no lock of the one that is held blocks
// the other one.
func TestTurns(t *testing.T) {
	t.Parallel()
	const count = "m=$(cat n 2>/dev/null); echo $((m + 1)) >n"
	for name, tt := range map[string]struct {
		hook  string
		paths []string
		holds []int
		want  string
		order string // of the steps of the accesses to n
	}{
		"one after the other": {count, []string{"n"}, []int{0, 0}, "2", "0011"},
		"interrupted":         {count, []string{"n"}, []int{2, 0}, "1", "0110"},
		"both are held":       {count, []string{"n"}, []int{2, 2}, "1", "0101"},
		"held at the start":   {count, []string{"n"}, []int{1, 0}, "2", "1100"},
		"flock":               {"exec 9>l; flock 9; " + count, []string{"n", "l"}, []int{4, 0}, "2", "0011"},
		"flock, both held":    {"exec 9>l; flock 9; " + count, []string{"n", "l"}, []int{2, 4}, "2", "1100"},
		"mkdir":               {"until mkdir l 2>/dev/null; do sleep 0.01; done; " + count + "; rmdir l", []string{"n", "l"}, []int{3, 0}, "2", "0011"},
		"noclobber":           {"until (set -C; >l) 2>/dev/null; do sleep 0.01; done; " + count + "; rm l", []string{"n", "l"}, []int{3, 0}, "2", "0011"},
		"a lock that is not":  {"while [ -e l ]; do sleep 0.01; done; >l; " + count + "; rm -f l", []string{"n", "l"}, []int{2, 4}, "1", "1001"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turns := suites.Turns{Holds: tt.holds}
			for _, p := range tt.paths {
				turns.Paths = append(turns.Paths, "{project}/"+p)
			}
			n, o := turnsOf(t, tt.hook, turns)
			order := ""
			for _, a := range o.Turns {
				if strings.HasSuffix(a.Path, "/n") {
					order += string(rune('0' + a.Step))
				}
			}
			if n != tt.want || order != tt.order || slices.ContainsFunc(o.Results, func(r suites.Result) bool { return r.Exit != 0 }) {
				t.Errorf("n is %q, want %q; order %s, want %s; %+v", n, tt.want, order, tt.order, o.Turns)
			}
		})
	}
}

// TestTurnsStop checks that commands which are held can be ended there.
func TestTurnsStop(t *testing.T) {
	t.Parallel()
	n, o := turnsOf(t, "m=$(cat n 2>/dev/null); echo 1 >n", suites.Turns{Holds: []int{2, 2}, Paths: []string{"{project}/n"}, Stop: true})
	if n != "" || len(o.Turns) != 2 || o.Results[0].Signal != "SIGKILL" {
		t.Errorf("n is %q, %+v, %+v", n, o.Turns, o.Results)
	}
}
