package notify

import (
	"fmt"
	"strconv"
	"strings"

	"hookwatch/suites"
)

// now is the time of all scenes.
var now = at(14, 2, 11)

func opening() Started {
	return Started{Project: "plankton", Root: "/home/me/plankton", Hooks: 4, Cases: 118, Watched: 9,
		Isolation: "namespaces", State: before,
		LastFull: at(14, 0, 0)}
}

// before is how the cases stand at first, oneFails once the regression is there.
var (
	before   = suites.State{Tally: suites.Tally{Passed: 112, Skipped: 5, Unproven: 1}}
	oneFails = suites.Tally{Passed: 111, Failed: 1, Skipped: 5, Unproven: 1}
)

func once(e Started) Started {
	e.Watched = 0
	return e
}

// regression is a save that breaks a case, and the run it starts.
func regression() []Event {
	saved := Changed{At: now, State: before, Changes: []Change{{Path: ".claude/hooks/multi_linter.sh",
		Sections: []string{"handle_typescript", "lines 812-815"}}}}
	var records []suites.Record
	events := []Event{nil, RunStarted{RunID: "r1", Cases: 9, Total: 118, At: now}}
	for i, id := range strings.Fields("M15 M16 M17 M18 M20 M21 M26 M28 M30") {
		because := []string{"multi_linter.sh §handle_typescript"}
		if i > 6 {
			because = append(because, "marker §D3")
		}
		saved.Selected = append(saved.Selected, Selection{Key: suites.Key{Suite: "ml", ID: id}, Because: because})
		r := rec("ml", id, "ts_case", true, "")
		var mismatches []suites.Mismatch
		if id == "M16" {
			r = rec("ml", id, "ts_unused_var", false, "exit 0, want 2")
			mismatches = []suites.Mismatch{{Field: "exit", Got: "0", Want: "2"},
				{Field: "stderr", Got: "empty", Want: `"[hook]"`}}
		}
		e := done(r, i+1, 9, mismatches...)
		if id == "M16" {
			e.Transition, e.Since, e.Effect = Regression, at(13, 58, 0), "the client would show the model nothing"
		}
		records, events = append(records, r), append(events, e)
	}
	events[0] = saved
	return append(events, finish(118, oneFails, records...))
}

// resolved is the save that mends it again.
func resolved() []Event {
	r := rec("ml", "M16", "ts_unused_var", true, "")
	e := done(r, 1, 1)
	e.Transition, e.Since = Resolved, at(14, 2, 11)
	return []Event{
		Changed{At: at(14, 3, 0), State: suites.State{Tally: oneFails}, Changes: []Change{{Path: ".claude/hooks/multi_linter.sh"}},
			Selected: []Selection{{Key: suites.Key{Suite: "ml", ID: "M16"}, Because: []string{"multi_linter.sh"}}}},
		RunStarted{RunID: "r2", Cases: 1, Total: 118, At: at(14, 3, 0)}, e,
		finish(118, before.Tally, r),
	}
}

// unrelated is a save that no case depends on.
func unrelated() []Event {
	return []Event{Changed{At: at(14, 4, 0), State: before,
		Changes: []Change{{Path: "docs/REFERENCE.md", Sections: []string{"Licence"}}}}}
}

// deleted is a suite that goes, of which no run comes.
func deleted() []Event {
	return []Event{Changed{At: at(14, 6, 0), State: suites.State{Tally: suites.Tally{Passed: 20}, NotRun: 2},
		Changes: []Change{{Path: "suites/own.yaml"}}}}
}

// pressed is a full run that a key started.
func pressed() []Event {
	r := rec("pm", "P01", "pip_blocked", true, "")
	return []Event{Help{}, RunStarted{RunID: "r3", Full: true, Cases: 1, Total: 1, At: at(14, 5, 0)},
		done(r, 1, 1), finish(1, suites.Tally{Passed: 1}, r)}
}

// output are failures whose output a terminal must not get as it is.
func output() []Event {
	records := []suites.Record{
		rec("ml", "M01", "binary", false, ""), rec("ml", "M02", "escapes", false, ""),
		rec("ml", "M03", "long", false, ""), rec("ml", "M04", "diff", false, ""),
		rec("ml", "M05", "steps", false, "step 1: exit 2, want 0; step 2: decision approve, want block; left a process behind: sleep (ended)"), rec("ml", "M06", "hangs", false, "TIMEOUT_30s"),
	}
	var many strings.Builder
	for i := range 60 {
		fmt.Fprintf(&many, "line %d of a linter that has much to say\n", i+1)
	}
	lint := many.String() + strings.Repeat("wide ", 100) + "\n"
	records[2].ActualStderr = lint
	mismatches := [][]suites.Mismatch{
		{{Field: "stdout", Got: "\x7fELF\x02\x01\x01" + strings.Repeat("\x00\xff", 300), Want: "JSON"}},
		{{Field: "stdout", Got: "\x1b[2J\x1b]0;gone\a\r\nnothing to see", Want: `"[hook:block]"`}},
		{{Field: "stderr", Got: strconv.Quote(lint[:400]) + "... (2901 bytes)", Want: `"SC2086"`}},
		{{Field: "stdout", Got: `"{\n  \"a\": 1,\n  \"b\": 3\n}\n"`, Want: "{\n  \"a\": 1,\n  \"b\": 2\n}\n"}},
		{{Field: "exit", Got: "2", Want: "0"}, {Step: 1, Field: "decision", Got: "approve", Want: "block"}},
		nil,
	}
	events := []Event{once(opening()), RunStarted{Cases: 6, Total: 118}}
	for i, r := range records {
		r.Hook = fmt.Sprintf("hook%d.sh", i) // or they were one cause
		e := done(r, i+1, len(records), mismatches[i]...)
		if i == 1 {
			e.Sandbox = "/tmp/hookwatch-M02"
		}
		events = append(events, e)
	}
	return append(events, finish(118, suites.Tally{}, records...))
}

// skips are a hundred cases without their tool, and a few with notes of their own.
func skips() []Event {
	var records []suites.Record
	for i := range 100 {
		records = append(records, rec("ml", fmt.Sprintf("M%02d", i+1), "case", true, "absent: ruff"))
	}
	records = append(records,
		rec("pm", "P11", "uv_approve", true, "unproven: control P01 did not fail for its own reason"),
		rec("pm", "P28", "live_trigger", true, "absent: claude"),
		rec("pm", "P29", "live_again", true, "absent: claude"),
		rec("pm", "P30", "pip_blocked", true, ""))
	for i := range 4 {
		records = append(records, rec("dep", fmt.Sprintf("DEP%02d", i+1), "tool", false, "ABORTED: DEP01 jaq is missing"))
	}
	events := []Event{once(opening()), RunStarted{Full: true, Cases: len(records), Total: len(records)}}
	for i, r := range records {
		events = append(events, done(r, i+1, len(records)))
	}
	end := finish(len(records), suites.Tally{}, records...)
	end.Aborted, end.StandIns = "DEP01 jaq is missing", []string{"jaq=gojq 0.12.19"}
	return append(events, end)
}

// problems are two mistakes, their mending, and a word of warning.
func problems() []Event {
	return []Event{
		Problems{}, // nothing was wrong: nothing to say
		Problems{InForce: true, List: []suites.Problem{
			{At: suites.Position{File: ".hookwatch.yaml", Line: 12, Column: 3}, What: `unknown key "hoks"`, Hint: `did you mean "hooks"?`},
			{At: suites.Position{File: ".claude/tests/hooks/suites/own.yaml", Line: 4}, What: "P01 is defined twice"},
		}},
		Warning{"the last run was interrupted after 12 of 118 cases; its records are kept"},
		Problems{},
		Problems{},
	}
}
