package notify

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

// update writes golden files instead of comparing.
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
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// A checkout may have changed the line ends of the file.
	if d := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); d != "" {
		t.Errorf("%s differs (-want +got); go test -update rewrites it:\n%s", file, d)
	}
}

// sceneTime is the time of all scenes.
var sceneTime = atTime(14, 2, 11)

// openingEvent is the first event of a session.
func openingEvent() session.Started {
	return session.Started{Project: "plankton", Root: "/home/me/plankton", Hooks: 4, Cases: 118, Watched: 9,
		Isolation: "namespaces", State: stateBefore,
		LastFull: atTime(14, 0, 0)}
}

// stateBefore is the initial state; oneFails is the state after the regression.
var (
	stateBefore = suites.State{Tally: suites.Tally{Passed: 112, Skipped: 5, Unproven: 1}}
	oneFails    = suites.Tally{Passed: 111, Failed: 1, Skipped: 5, Unproven: 1}
)

// unwatched is the opening of a session that does not watch.
func unwatched(e session.Started) session.Started {
	e.Watched = 0
	return e
}

// regressionScene is a save that breaks a case, and the run it starts.
func regressionScene() []session.Event {
	saved := session.Changed{At: sceneTime, State: stateBefore, Changes: []session.Change{{Path: ".claude/hooks/multi_linter.sh",
		Sections: []string{"handle_typescript", "lines 812-815"}}}}
	var records []suites.Record
	events := []session.Event{nil, session.RunStarted{RunID: "r1", Cases: 9, Total: 118, At: sceneTime}}
	for i, id := range strings.Fields("M15 M16 M17 M18 M20 M21 M26 M28 M30") {
		because := []string{"multi_linter.sh §handle_typescript"}
		if i > 6 {
			because = append(because, "marker §D3")
		}
		saved.Selected = append(saved.Selected, suites.Selection{Key: suites.Key{Suite: "ml", ID: id}, Because: because})
		r := recordOf("ml", id, "ts_case", true, "")
		var mismatches []suites.Mismatch
		if id == "M16" {
			r = recordOf("ml", id, "ts_unused_var", false, "exit 0, want 2")
			mismatches = []suites.Mismatch{{Kind: "exit", Field: "exit", Got: "0", Want: "2"},
				{Kind: "stderr", Field: "stderr", Got: "empty", Want: `"[hook]"`}}
		}
		e := doneWith(r, i+1, 9, mismatches...)
		if id == "M16" {
			e.Transition, e.Since, e.Effect = session.Regression, atTime(13, 58, 0), "the client would show the model nothing"
		}
		records, events = append(records, r), append(events, e)
	}
	events[0] = saved
	return append(events, finish(118, oneFails, records...))
}

// resolvedScene is the save that fixes it.
func resolvedScene() []session.Event {
	r := recordOf("ml", "M16", "ts_unused_var", true, "")
	e := doneWith(r, 1, 1)
	e.Transition, e.Since = session.Resolved, atTime(14, 2, 11)
	return []session.Event{
		session.Changed{At: atTime(14, 3, 0), State: suites.State{Tally: oneFails}, Changes: []session.Change{{Path: ".claude/hooks/multi_linter.sh"}},
			Selected: []suites.Selection{{Key: suites.Key{Suite: "ml", ID: "M16"}, Because: []string{"multi_linter.sh"}}}},
		session.RunStarted{RunID: "r2", Cases: 1, Total: 118, At: atTime(14, 3, 0)}, e,
		finish(118, stateBefore.Tally, r),
	}
}

// unrelatedScene is a save on which no case depends.
func unrelatedScene() []session.Event {
	return []session.Event{session.Changed{At: atTime(14, 4, 0), State: stateBefore,
		Changes: []session.Change{{Path: "docs/REFERENCE.md", Sections: []string{"Licence"}}}}}
}

// deletedScene is the removal of a suite, which starts no run.
func deletedScene() []session.Event {
	return []session.Event{session.Changed{At: atTime(14, 6, 0), State: suites.State{Tally: suites.Tally{Passed: 20}, NotRun: 2},
		Changes: []session.Change{{Path: "suites/own.yaml"}}}}
}

// pressedScene is a full run started by a key.
func pressedScene() []session.Event {
	r := recordOf("pm", "P01", "pip_blocked", true, "")
	return []session.Event{session.Help{}, session.RunStarted{RunID: "r3", Full: true, Cases: 1, Total: 1, At: atTime(14, 5, 0)},
		doneWith(r, 1, 1), finish(1, suites.Tally{Passed: 1}, r)}
}

// outputScene has failures whose output must not reach a terminal raw.
func outputScene() []session.Event {
	records := []suites.Record{
		recordOf("ml", "M01", "binary", false, ""), recordOf("ml", "M02", "escapes", false, ""),
		recordOf("ml", "M03", "long", false, ""), recordOf("ml", "M04", "diff", false, ""),
		recordOf("ml", "M05", "steps", false, "step 1: exit 2, want 0; step 2: decision approve, want block; left a process behind: sleep (ended)"), recordOf("ml", "M06", "hangs", false, "TIMEOUT_30s"),
	}
	var many strings.Builder
	for i := range 60 {
		fmt.Fprintf(&many, "line %d of a linter that has much to say\n", i+1)
	}
	lint := many.String() + strings.Repeat("wide ", 100) + "\n"
	records[2].ActualStderr = lint
	mismatches := [][]suites.Mismatch{
		{{Kind: "stdout", Field: "stdout", Got: "\x7fELF\x02\x01\x01" + strings.Repeat("\x00\xff", 300), Want: "JSON"}},
		{{Kind: "stdout", Field: "stdout", Got: "\x1b[2J\x1b]0;gone\a\r\nnothing to see", Want: `"[hook:block]"`}},
		{{Kind: "stderr", Field: "stderr", Got: strconv.Quote(lint[:400]) + "... (2901 bytes)", Want: `"SC2086"`}},
		{{Kind: "stdout", Field: "stdout", Got: `"{\n  \"a\": 1,\n  \"b\": 3\n}\n"`, Want: "{\n  \"a\": 1,\n  \"b\": 2\n}\n"}},
		{{Kind: "exit", Field: "exit", Got: "2", Want: "0"}, {Kind: "decision", Step: 1, Field: "decision", Got: "approve", Want: "block"}},
		nil,
	}
	events := []session.Event{unwatched(openingEvent()), session.RunStarted{Cases: 6, Total: 118}}
	for i, r := range records {
		r.Hook = fmt.Sprintf("hook%d.sh", i) // otherwise they would have one cause
		e := doneWith(r, i+1, len(records), mismatches[i]...)
		if i == 1 {
			e.Sandbox = "/tmp/hookwatch-M02"
		}
		events = append(events, e)
	}
	return append(events, finish(118, suites.Tally{}, records...))
}

// skipScene has a hundred cases without their tool, and a few with different notes.
func skipScene() []session.Event {
	var records []suites.Record
	for i := range 100 {
		records = append(records, recordOf("ml", fmt.Sprintf("M%02d", i+1), "case", true, "absent: ruff"))
	}
	records = append(records,
		recordOf("pm", "P11", "uv_approve", true, "unproven: control P01 did not fail for its own reason"),
		recordOf("pm", "P28", "live_trigger", true, "absent: claude"),
		recordOf("pm", "P29", "live_again", true, "absent: claude"),
		recordOf("pm", "P30", "pip_blocked", true, ""))
	for i := range 4 {
		records = append(records, recordOf("dep", fmt.Sprintf("DEP%02d", i+1), "tool", false, "ABORTED: DEP01 jaq is missing"))
	}
	events := []session.Event{unwatched(openingEvent()), session.RunStarted{Full: true, Cases: len(records), Total: len(records)}}
	for i, r := range records {
		events = append(events, doneWith(r, i+1, len(records)))
	}
	end := finish(len(records), suites.Tally{}, records...)
	end.Aborted, end.StandIns = "DEP01 jaq is missing", []string{"jaq=gojq 0.12.19"}
	return append(events, end)
}

// problemScene has two problems, their solution, and a warning.
func problemScene() []session.Event {
	return []session.Event{
		session.Problems{}, // there were no problems: prints nothing
		session.Problems{InForce: true, List: []suites.Problem{
			{At: suites.Position{File: ".hookwatch.yaml", Line: 12, Column: 3}, What: `unknown key "hoks"`, Hint: `did you mean "hooks"?`},
			{At: suites.Position{File: ".claude/tests/hooks/suites/own.yaml", Line: 4}, What: "P01 is defined twice"},
		}},
		session.Warning{Text: "the last run was interrupted after 12 of 118 cases; its records are kept"},
		session.Problems{},
		session.Problems{},
	}
}

// atTime returns a time of day in a time zone other than UTC.
func atTime(hour, minute, second int) session.Time {
	zone := time.FixedZone("test", 2*60*60)
	return session.Time{Time: time.Date(2026, 8, 12, hour, minute, second, 0, zone)}
}

// recordOf returns a record of a run.
func recordOf(suite, id, name string, pass bool, note string) suites.Record {
	exit := 0
	return suites.Record{
		Hook: "guard.sh", TestName: name, Category: "block", InputSummary: "pip install <x> & y",
		ExpectedDecision: "block", ExpectedExit: &exit, ActualDecision: "block", ActualExit: &exit,
		Pass: pass, Note: note, Timestamp: "2026-08-12T12:02:11Z", DurationMS: 12,
		ID: id, Suite: suite, Layer: suites.Direct, RunID: "r1",
		Digests: suites.Digests{Case: "c", Inputs: "i", Tools: "t"}, Isolation: "namespaces",
	}
}

// remarks returns the part of a note after its mismatches.
func remarks(note string, mismatches []suites.Mismatch) (all []string) {
	if len(mismatches) == 0 {
		return nil
	}
	for _, m := range mismatches {
		if before, after, found := strings.Cut(note, m.String()); found && (before == "" || strings.HasPrefix(before, "step ")) {
			note = strings.TrimPrefix(after, "; ")
		}
	}
	for part := range strings.SplitSeq(note, "; ") {
		if part != "" && !strings.HasPrefix(part, "stand-in: ") {
			all = append(all, part)
		}
	}
	return all
}

// doneWith returns the event of a finished case from its record.
func doneWith(r suites.Record, n, of int, mismatches ...suites.Mismatch) session.CaseDone {
	e := session.CaseDone{RunID: "r1", Record: r, Done: n, Of: of,
		Verdict: suites.Verdict{Status: r.Status(), Note: r.Note, Mismatches: mismatches}}
	if e.Verdict.Status == suites.Fail {
		e.Rerun = "hookwatch run " + r.ID
		e.Verdict.Remarks = remarks(r.Note, mismatches)
	}
	return e
}

// finish returns the end of a run with these records.
func finish(total int, state suites.Tally, records ...suites.Record) session.RunDone {
	e := session.RunDone{RunID: "r1", State: suites.State{Tally: state, NotRun: total - state.Total()}, Records: records,
		Duration: 740 * time.Millisecond, HookTime: 600 * time.Millisecond,
		Project: "plankton", Isolation: "namespaces", At: atTime(14, 2, 12).Time}
	for _, r := range records {
		e.Tally.Add(r.Status())
	}
	e.Full = e.Tally.Total() == total
	return e
}

// showTo passes scenes to a view.
func showTo(v session.View, scenes ...[]session.Event) {
	for _, s := range scenes {
		for _, e := range s {
			v.Handle(e)
		}
	}
}

// failingScene is a run of failures: six of a hook with a syntax error, with different
// expectations, four equal ones, and a single one.
func failingScene() []session.Event {
	var events []session.Event
	var records []suites.Record
	add := func(id, hook, note, stderr string) {
		r := suites.Record{Suite: "s", ID: id, TestName: "n", Hook: hook, Note: note, ActualStderr: stderr}
		records = append(records, r)
		events = append(events, session.CaseDone{Record: r, Rerun: "hookwatch run " + id, Verdict: suites.Verdict{Status: suites.Fail, Note: note}, Done: len(records), Of: 11})
	}
	for n := range 6 {
		add(fmt.Sprintf("M%02d", n), "lint.sh", fmt.Sprintf("exit 2, want %d", n+3), "/p/lint.sh: line 214: syntax error near unexpected token `}'\n")
		if n < 4 {
			add(fmt.Sprintf("P%02d", n), "guard.sh", "exit 0, want 2", "")
		}
	}
	add("Q1", "guard.sh", "exit 1, want 2", "Traceback")
	done := session.RunDone{Tally: suites.Tally{Failed: 11}, State: suites.State{Tally: suites.Tally{Failed: 11}}, Records: records}
	return append(append([]session.Event{session.RunStarted{Cases: 11, Total: 11}}, events...), done)
}

// obeyed reports whether a terminal may interpret the rune, or hide it.
func obeyed(r rune) bool {
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf)
}
