package client

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
)

// A cell is what one event does with an output. old is 2.1.197, newer are 2.1.329
// and 2.1.330; "" was not observed. sees is text that the model must be told, ""
// that it is told nothing.
type cell struct {
	old, newer         suites.Effect
	oldSees, newerSees string
}

func both(effect suites.Effect, sees string) cell { return cell{effect, effect, sees, sees} }

func newOnly(effect suites.Effect, sees string) cell { return cell{newer: effect, newerSees: sees} }

func oldOnly(effect suites.Effect, sees string) cell { return cell{old: effect, oldSees: sees} }

// A row is one kind of output on one event, named by section and row of the
// measurements.
type row struct {
	name, event string
	in          Output
	want        cell
}

const command = "hook.sh"

// matchedBy is what each event's label shows where the measurements name it.
var matchedBy = map[string]string{"PreToolUse": "Bash", "PostToolUse": "Bash", "PostToolUseFailure": "Bash", "SessionStart": "startup"}

func out(text string) Output { return Output{Stdout: []byte(text)} }

func exits(code int, stdout, stderr string) Output {
	return Output{Exit: code, Stdout: []byte(stdout), Stderr: []byte(stderr)}
}

func with(in Output, entry Entry) Output {
	in.Entry = entry
	return in
}

const blockJSON = `{"decision":"block","reason":"RSN"}`

func specific(event, fields string) string {
	return `{"hookSpecificOutput":{"hookEventName":"` + event + `",` + fields + `}}`
}

var (
	goesOn  = both(suites.Proceeds, "")
	dropped = both(suites.Ignored, "")
)

// check runs rows on each version that they were observed on.
func check(t *testing.T, rows []row) {
	t.Helper()
	for _, row := range rows {
		in := row.in
		in.Entry.Command = command
		if in.Matched == "" {
			in.Matched = matchedBy[row.event]
		}
		for _, version := range Versions() {
			effect, sees := row.want.newer, row.want.newerSees
			if version == V197 {
				effect, sees = row.want.old, row.want.oldSees
			}
			if effect == "" {
				continue
			}
			t.Run(row.name+"/"+row.event+"/"+string(version), func(t *testing.T) {
				t.Parallel()
				checkReading(t, Interpret(version, row.event, in), effect, sees)
			})
		}
	}
}

func checkReading(t *testing.T, got Reading, effect suites.Effect, sees string) {
	t.Helper()
	if got.Effect != effect {
		t.Errorf("effect %q, want %q (%s)", got.Effect, effect, got.Because())
	}
	if sees == "" && len(got.ModelSees) > 0 {
		t.Errorf("the model sees %q, want nothing", got.ModelSees)
	}
	if !slices.ContainsFunc(append(got.ModelSees, ""), func(text string) bool { return strings.Contains(text, sees) }) {
		t.Errorf("the model sees %q, want %q", got.ModelSees, sees)
	}
	if text := got.Because(); text == "" || strings.ContainsAny(strings.ReplaceAll(text, `{"ok": ...}`, ""), "{}") {
		t.Errorf("the cause %+v says %q", got.Cause, text)
	}
}

func TestDecision(t *testing.T) {
	t.Parallel()
	for stdout, want := range map[string]string{
		"": "none", "{}": "none", "block": "none", blockJSON: "block", `{"decision":"approve"}`: "approve",
		`{"decision":"allow"}`: "allow", `{"decision":"nonsense"}`: "none", `{"permissionDecision":"deny"}`: "deny",
		specific("PreToolUse", `"permissionDecision":"ask"`):                                 "ask",
		specific("PermissionRequest", `"decision":{"behavior":"allow"}`):                     "allow",
		`{"decision":"approve",` + specific("PreToolUse", `"permissionDecision":"deny"`)[1:]: "deny",
	} {
		for _, exit := range []int{0, 1, 2} {
			if got := Interpret(Default, "PreToolUse", exits(exit, stdout, "")).Decision; got != want {
				t.Errorf("%s at exit %d: decision %q, want %q", stdout, exit, got, want)
			}
		}
	}
}

func FuzzInterpret(f *testing.F) {
	for _, row := range slices.Concat(table3(), below3(), table3a(), table4()) {
		f.Add(row.in.Exit, string(row.in.Stdout), string(row.in.Stderr), 0, false, "command", "block")
	}
	f.Fuzz(func(t *testing.T, exit int, stdout, stderr string, event int, old bool, hookType, onFailure string) {
		version := Default
		about := events[uint(event)%uint(len(events))]
		if old && about.Known(V197) {
			version = V197
		}
		in := Output{
			Exit: exit, Stdout: []byte(stdout), Stderr: []byte(stderr), Matched: "Bash", Payload: []byte(stdout),
			Entry: Entry{Command: command, Type: hookType, OnFailure: onFailure},
		}
		got := Interpret(version, about.Name, in)
		quiet := exit == 0 && strings.TrimSpace(stdout) == "" && hookType != "prompt" && hookType != "agent"
		if quiet && about.Name != "WorktreeCreate" && got.Effect != suites.Proceeds {
			t.Errorf("%s: exit 0 and silence gave %q", about.Name, got.Effect)
		}
		if got.Effect == "" || got.Decision == "" || got.Because() == "" {
			t.Errorf("%s: incomplete reading %+v", about.Name, got)
		}
	})
}
