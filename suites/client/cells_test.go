package client

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
)

// check compares the predictions for cells with the observations.
func check(t *testing.T, all []Cell) {
	t.Helper()
	for _, c := range all {
		in := c.Output
		in.Entry.Command = CellCommand
		for _, version := range Versions() {
			effect, sees, ok := c.Want.On(version)
			if !ok {
				continue
			}
			t.Run(c.ID()+"/"+string(version), func(t *testing.T) {
				t.Parallel()
				checkReading(t, Interpret(version, c.Event, in), effect, sees)
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
		t.Errorf("the text of cause %+v is %q", got.Cause, text)
	}
}

func TestCells(t *testing.T) {
	t.Parallel()
	check(t, Cells())
	kept := Interpret(Default, "PreToolUse", stdoutOnly(specificOutput("PreToolUse", `"additionalContext":"`+strings.Repeat("x", long-1)+`"`)))
	checkReading(t, kept, suites.ContextAdded, "xxx")
}

// TestCommandNamed checks that messages about a decision name the status message, and those about an exit
// code the command.
func TestCommandNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   Output
		want string
	}{
		{stdoutOnly(`{"decision":"block","reason":"no"}`), `PostToolUse hook blocking error from command: "checking": no`},
		{exitsWith(2, "", "no"), `PostToolUse hook blocking error from command: "run": [run]: no`},
	} {
		tt.in.Entry = Entry{Command: "run", StatusMessage: "checking"}
		if got := Interpret(Default, "PostToolUse", tt.in).ModelSees; !slices.Equal(got, []string{tt.want}) {
			t.Errorf("the model sees %q, want %q", got, tt.want)
		}
	}
}

// TestIDs checks that cells have distinct IDs, because the documents of two versions are compared
// by them.
func TestIDs(t *testing.T) {
	t.Parallel()
	if _, err := readMeasured(); err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, c := range Cells() {
		if id := c.ID(); seen[id] || strings.Count(id, "/") != 1 || strings.ContainsAny(id, " \t") {
			t.Errorf("%s: comes twice, or is no ID", id)
		}
		seen[c.ID()] = true
	}
}

// TestCellOfEveryEvent checks that what the client does with the output of a hook was measured for each event, but for
// those of which only the schema of a client is known.
func TestCellOfEveryEvent(t *testing.T) {
	t.Parallel()
	fromSchema := []string{"TeammateIdle"}
	for _, event := range Events() {
		measured := slices.ContainsFunc(Cells(), func(c Cell) bool { return c.Event == event.Name })
		if measured == slices.Contains(fromSchema, event.Name) {
			t.Errorf("%s: measured: %t", event.Name, measured)
		}
	}
}

// TestBeyondMeasured checks predictions that follow from the measurements but were not measured.
func TestBeyondMeasured(t *testing.T) {
	t.Parallel()
	check(t, []Cell{
		{"b null is of no kind", "PreToolUse", stdoutOnly(`{"reason":null,"decision":"block"}`), dropped},
		{"b paths that are no text", "SessionStart", stdoutOnly(specificOutput("SessionStart", `"watchPaths":[1],"additionalContext":"my-context"`)), dropped},
		{"b watched paths", "SessionStart", stdoutOnly(specificOutput("SessionStart", `"watchPaths":["a"]`)), goesOn},
		{"b empty context", "Stop", stdoutOnly(specificOutput("Stop", `"additionalContext":""`)), goesOn},
		{"b no such behaviour", "PermissionRequest", stdoutOnly(specificOutput("PermissionRequest", `"decision":{"behavior":"block"}`)), dropped},
		{"b no behaviour", "PermissionRequest", stdoutOnly(specificOutput("PermissionRequest", `"decision":{}`)), dropped},
		{"b no specific output", "PreCompact", stdoutOnly(specificOutput("PreCompact", `"additionalContext":"my-context"`)), both(suites.ShownToModel, `"additionalContext": "my-context"`)},
		{"b halt", "Notification", stdoutOnly(`{"continue":false}`), dropped},
		{"b not started", "PreToolUse", Output{Exit: -1, NotStarted: "no such file"}, goesOn},
		{"b deny with an input", "PreToolUse", stdoutOnly(specificOutput("PreToolUse", `"updatedInput":{"command":"ls"},"permissionDecision":"deny"`)), both(suites.Denied, "ed")},
		{"b an MCP tool's output", "PostToolUse", Output{Stdout: stdoutOnly(specificOutput("PostToolUse", `"updatedMCPToolOutput":[]`)).Stdout, Matched: "mcp__a__b"}, both(suites.Rewritten, "")},
		{"b Bash's output for another tool", "PostToolUse", Output{Stdout: stdoutOnly(specificOutput("PostToolUse", `"updatedToolOutput":{"stdout":"x","stderr":"","interrupted":false,"isImage":false}`)).Stdout, Matched: "Write"}, both(suites.Ignored, "")},
		{"b a read file's output", "PostToolUse", Output{Stdout: stdoutOnly(specificOutput("PostToolUse", `"updatedToolOutput":{"type":"text","file":{"content":"x"}}`)).Stdout, Matched: "Read"}, both(suites.Rewritten, "")},
		{"b unknown name at exit 2", "Stop", exitsWith(2, specificOutput("Whatever", `"additionalContext":"my-context"`), "my-error"),
			Want{suites.Ignored, suites.AnotherTurn, "", "my-error", ""}},
		{"b the tool is in the payload", "PreToolUse", Output{Exit: 2, Payload: []byte(`{"tool_name":"Bash"}`)}, both(suites.Denied, "PreToolUse:Bash hook error")},
		{"b an MCP tool's empty input", "PreToolUse", Output{Stdout: stdoutOnly(specificOutput("PreToolUse", `"updatedInput":{}`)).Stdout, Matched: "mcp__a__b"}, both(suites.Denied, "")},
		{"b shown", "MessageDisplay", stdoutOnly(specificOutput("MessageDisplay", `"displayContent":"x"`)), both(suites.Rewritten, "")},
		{"b answered", "Elicitation", stdoutOnly(specificOutput("Elicitation", `"action":"accept","content":{}`)), both(suites.Rewritten, "")},
		{"b declined", "Elicitation", stdoutOnly(specificOutput("Elicitation", `"action":"decline"`)), both(suites.Denied, "")},
		{"b no answer", "PreToolUse", with(stdoutOnly("yes"), Entry{Type: "prompt"}), dropped},
	})
}

func FuzzInterpret(f *testing.F) {
	for _, c := range Cells() {
		f.Add(c.Output.Exit, string(c.Output.Stdout), string(c.Output.Stderr), 0, false, "command", "block")
	}
	events := Events()
	f.Fuzz(func(t *testing.T, exit int, stdout, stderr string, event int, old bool, hookType, onFailure string) {
		version := Default
		about := events[uint(event)%uint(len(events))]
		if old && about.Known(V197) {
			version = V197
		}
		in := Output{
			Exit: exit, Stdout: []byte(stdout), Stderr: []byte(stderr), Matched: "Bash", Payload: []byte(stdout),
			Entry: Entry{Command: CellCommand, Type: hookType, OnFailure: onFailure},
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

// Outputs of tests.
func both(effect suites.Effect, sees string) Want { return Want{effect, effect, sees, sees, ""} }

var (
	dropped = both(suites.Ignored, "")
	goesOn  = both(suites.Proceeds, "")
)

const blockDecision = `{"decision":"block","reason":"my-reason"}`

func stdoutOnly(text string) Output { return Output{Stdout: []byte(text)} }

func exitsWith(code int, stdout, stderr string) Output {
	return Output{Exit: code, Stdout: []byte(stdout), Stderr: []byte(stderr)}
}

func with(in Output, entry Entry) Output {
	in.Entry = entry
	return in
}

func specificOutput(event, fields string) string {
	return `{"hookSpecificOutput":{"hookEventName":"` + event + `",` + fields + `}}`
}
