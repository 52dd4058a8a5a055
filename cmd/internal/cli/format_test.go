package cli

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares text with a file of testdata, or writes the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(strings.ReplaceAll(readText(t, file), "\r\n", "\n"), got); d != "" {
		t.Errorf("%s differs (-want +got); go test -update writes it:\n%s", file, d)
	}
}

// sampleSession is a session with each event that formats for programs print: a run of two suites
// has every verdict, and text that JSON or XML must escape or cannot represent.
func sampleSession() []session.Event {
	at := func(second int) session.Time {
		return session.Time{Time: time.Date(2026, 8, 12, 14, 2, second, 0, time.FixedZone("test", 2*60*60))}
	}
	exit := 0
	record := func(suite, id, note string, pass bool) suites.Record {
		return suites.Record{
			Hook: "guard.sh", TestName: "a <case> & more", Category: "block", InputSummary: "rm -rf \"$HOME\"",
			ExpectedDecision: "block", ExpectedExit: &exit, ActualDecision: "block", ActualExit: &exit, ActualStderr: "]]> \x1b[2J\x00\ufffe\n",
			Pass: pass, Note: note, Timestamp: "2026-08-12T12:02:1" + id[1:] + "Z", DurationMS: 12,
			ID: id, Suite: suite, Layer: suites.Direct, RunID: "r1",
			Digests: suites.Digests{Case: "c", Inputs: "i", Tools: "t"}, Isolation: "copy",
		}
	}
	all := []suites.Record{
		record("guard", "G2", "", true),
		record("guard", "G1", "exit 0, want 2; stderr empty, want \"no\"", false),
		record("guard", "G3", "absent: ruff", true),
		record("other", "O4", "unproven: control G1 did not fail", true),
		record("other", "O5", "ABORTED: jaq is missing", false),
	}
	all[2].ExpectedExit = nil
	state := suites.State{Tally: suites.Tally{Passed: 4, Skipped: 1}}
	done := session.RunDone{
		RunID: "r1", Full: true, State: suites.State{Tally: suites.Tally{Passed: 1, Failed: 1, Skipped: 1, Unproven: 1, Aborted: 1}}, Records: all,
		Duration: 1740 * time.Millisecond, HookTime: 600 * time.Millisecond, Aborted: "jaq is missing",
		Project: "my <hooks>", Isolation: "copy", Weaker: "requested by run.isolation: copy", StandIns: []string{"jaq=gojq 0.12.19"}, At: at(13).Time,
	}
	events := []session.Event{
		session.Started{Project: "my <hooks>", Root: "/home/me/hooks", Hooks: 4, Cases: 5, Watched: 9, Isolation: "copy",
			Weaker: "requested by run.isolation: copy", State: state, LastFull: at(0)},
		session.Problems{InForce: true, List: []suites.Problem{
			{At: suites.Position{File: ".hookwatch.yaml", Line: 12, Column: 3}, What: `unknown key "hoks"`, Hint: `did you mean "hooks"?`},
		}},
		session.Problems{},
		session.Warning{Text: "the last run was interrupted"},
		session.Changed{At: at(9), State: state, Changes: []session.Change{{Path: "guard.sh", Sections: []string{"f", "lines 3-4"}}, {Path: "README.md"}},
			Selected:    []suites.Selection{{Key: suites.Key{Suite: "guard", ID: "G1"}, Because: []string{"guard.sh §f", "marker §D3"}}},
			NotAffected: []suites.Selection{{Key: suites.Key{Suite: "other", ID: "O6"}, Because: []string{"it executes nothing of <main>"}}},
			Uncovered:   []string{"guard.sh: statement changed at lines 3-4 in f"}},
		session.RunStarted{RunID: "r1", Full: true, Cases: len(all), Total: len(all), At: at(10)},
	}
	for i, r := range all {
		e := session.CaseDone{RunID: "r1", Record: r, At: "suite.yaml:7", Defined: suites.Position{File: "suite.yaml", Line: 7}, Done: i + 1, Of: len(all), Verdict: suites.Verdict{Status: r.Status(), Note: r.Note}}
		if e.Verdict.Status == suites.Fail {
			e.Rerun, e.Effect, e.Transition, e.Since, e.Sandbox = "hookwatch run "+r.ID, "proceeds", session.Explained, at(1), "/tmp/kept"
			e.Tools = []string{"jq"}
			e.Verdict.Mismatches = []suites.Mismatch{{Kind: "exit", Field: "exit", Got: "0", Want: "2"}, {Kind: "stderr", Step: 1, Field: "stderr", Got: `"]]> \x1b[2J\x00\ufffe\n"`, Want: `"no"`}}
		}
		done.Tally.Add(r.Status())
		events = append(events, e)
	}
	return append(events, done, session.Transitions{RunID: "r1", Project: "my <hooks>", Regressions: all[1:2]}, session.Rested{})
}

// handle passes events to a view.
func handle(v session.View, events ...[]session.Event) {
	for _, e := range slices.Concat(events...) {
		v.Handle(e)
	}
}

// TestFormats checks that an unknown format is rejected for every command, and a known one for
// commands for which it prints nothing; and that help and completion list all formats.
func TestFormats(t *testing.T) {
	t.Parallel()
	names := formatNames()
	if !slices.Contains(names, "human") || !slices.IsSorted(names) {
		t.Errorf("formats %q", names)
	}
	arguments := map[string]string{"fire": "PreToolUse", "query": "length", "show": "P01", "diff": "HEAD"} // required arguments
	for _, command := range append(commandNames(), "") {
		args := strings.Fields(command + " " + arguments[command] + " --format xml")
		if code, out, stderr := call(t, t.TempDir(), "", args...); code != Usage || out != "" || !strings.Contains(stderr, "--format xml: want "+anyFormat()) {
			t.Errorf("%v: exit %d, %s%s", args, code, out, stderr)
		}
	}
	_, help, _ := call(t, ".", "", "help", "flags")
	_, completed, _ := call(t, ".", "", "__complete", "--format", "")
	for _, name := range names {
		f := formats[name]
		if f.name != name || f.view == nil && f.write == nil {
			t.Errorf("format %s prints nothing, or is registered as %s", f.name, name)
		}
		if !strings.Contains(help, f.help) || !strings.Contains(completed, name+"\t"+f.help) {
			t.Errorf("help or completion does not describe %s: %s%s", name, help, completed)
		}
		for _, tt := range []struct {
			args    []string
			refused bool
		}{
			{[]string{"list", "--suites"}, f.write == nil || f.findingsOnly},
			{[]string{"check"}, f.write == nil},
			{[]string{"run", "X1"}, f.view == nil},
			{[]string{"--filter", "x"}, f.view == nil || f.onceOnly}, // without, it would wait for a first hook
			{[]string{"--once"}, f.view == nil},
		} {
			_, out, stderr := call(t, t.TempDir(), "", append(tt.args, "--format", name)...)
			if refused := strings.Contains(stderr, "--format "+name+" "); refused != tt.refused || refused && out != "" {
				t.Errorf("%v --format %s: refused %v, want %v: %s", tt.args, name, refused, tt.refused, stderr)
			}
		}
	}
}
