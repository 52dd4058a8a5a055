package cells

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/client"
)

// check holds what is predicted of cells against what was observed.
func check(t *testing.T, all []Cell) {
	t.Helper()
	for _, c := range all {
		in := c.Output
		in.Entry.Command = Command
		for _, version := range client.Versions() {
			effect, sees, ok := c.Want.On(version)
			if !ok {
				continue
			}
			t.Run(c.ID()+"/"+string(version), func(t *testing.T) {
				t.Parallel()
				checkReading(t, client.Interpret(version, c.Event, in), effect, sees)
			})
		}
	}
}

func checkReading(t *testing.T, got client.Reading, effect suites.Effect, sees string) {
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

func TestCells(t *testing.T) {
	t.Parallel()
	check(t, All())
	kept := client.Interpret(client.Default, "PreToolUse", out(specific("PreToolUse", `"additionalContext":"`+strings.Repeat("x", long-1)+`"`)))
	checkReading(t, kept, suites.ContextAdded, "xxx")
}

// TestIDs: a document of one version is compared with another's by them.
func TestIDs(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, c := range All() {
		if id := c.ID(); seen[id] || strings.Count(id, "/") != 2 || strings.ContainsAny(id, " \t") {
			t.Errorf("%s: comes twice, or is no ID", id)
		}
		seen[c.ID()] = true
	}
}

// TestBeyondMeasured holds what follows from the measurements without being among
// them.
func TestBeyondMeasured(t *testing.T) {
	t.Parallel()
	check(t, []Cell{
		{"b null is of no kind", "PreToolUse", out(`{"reason":null,"decision":"block"}`), dropped},
		{"b paths that are no text", "SessionStart", out(specific("SessionStart", `"watchPaths":[1],"additionalContext":"my-context"`)), dropped},
		{"b watched paths", "SessionStart", out(specific("SessionStart", `"watchPaths":["a"]`)), goesOn},
		{"b empty context", "Stop", out(specific("Stop", `"additionalContext":""`)), goesOn},
		{"b no such behaviour", "PermissionRequest", out(specific("PermissionRequest", `"decision":{"behavior":"block"}`)), dropped},
		{"b no behaviour", "PermissionRequest", out(specific("PermissionRequest", `"decision":{}`)), dropped},
		{"b no specific output", "PreCompact", out(specific("PreCompact", `"additionalContext":"my-context"`)), both(suites.ShownToModel, `"additionalContext": "my-context"`)},
		{"b halt", "Notification", out(`{"continue":false}`), dropped},
		{"b not started", "PreToolUse", client.Output{Exit: -1, NotStarted: "no such file"}, goesOn},
		{"b deny beside an input", "PreToolUse", out(specific("PreToolUse", `"updatedInput":{"command":"ls"},"permissionDecision":"deny"`)), both(suites.Denied, "ed")},
		{"b an MCP tool's output", "PostToolUse", client.Output{Stdout: out(specific("PostToolUse", `"updatedMCPToolOutput":[]`)).Stdout, Matched: "mcp__a__b"}, both(suites.Rewritten, "")},
		{"b unknown name at exit 2", "Stop", exits(2, specific("Whatever", `"additionalContext":"my-context"`), "my-error"),
			Want{suites.Ignored, suites.AnotherTurn, "", "my-error"}},
		{"b the tool stands in the payload", "PreToolUse", client.Output{Exit: 2, Payload: []byte(`{"tool_name":"Bash"}`)}, both(suites.Denied, "PreToolUse:Bash hook error")},
		{"b an MCP tool's empty input", "PreToolUse", client.Output{Stdout: out(specific("PreToolUse", `"updatedInput":{}`)).Stdout, Matched: "mcp__a__b"}, both(suites.Denied, "")},
		{"b shown", "MessageDisplay", out(specific("MessageDisplay", `"displayContent":"x"`)), both(suites.Rewritten, "")},
		{"b answered", "Elicitation", out(specific("Elicitation", `"action":"accept","content":{}`)), both(suites.Rewritten, "")},
		{"b declined", "Elicitation", out(specific("Elicitation", `"action":"decline"`)), both(suites.Denied, "")},
		{"b no answer", "PreToolUse", with(out("yes"), client.Entry{Type: "prompt"}), dropped},
	})
}

func FuzzInterpret(f *testing.F) {
	for _, c := range All() {
		f.Add(c.Output.Exit, string(c.Output.Stdout), string(c.Output.Stderr), 0, false, "command", "block")
	}
	events := client.Events()
	f.Fuzz(func(t *testing.T, exit int, stdout, stderr string, event int, old bool, hookType, onFailure string) {
		version := client.Default
		about := events[uint(event)%uint(len(events))]
		if old && about.Known(client.V197) {
			version = client.V197
		}
		in := client.Output{
			Exit: exit, Stdout: []byte(stdout), Stderr: []byte(stderr), Matched: "Bash", Payload: []byte(stdout),
			Entry: client.Entry{Command: Command, Type: hookType, OnFailure: onFailure},
		}
		got := client.Interpret(version, about.Name, in)
		quiet := exit == 0 && strings.TrimSpace(stdout) == "" && hookType != "prompt" && hookType != "agent"
		if quiet && about.Name != "WorktreeCreate" && got.Effect != suites.Proceeds {
			t.Errorf("%s: exit 0 and silence gave %q", about.Name, got.Effect)
		}
		if got.Effect == "" || got.Decision == "" || got.Because() == "" {
			t.Errorf("%s: incomplete reading %+v", about.Name, got)
		}
	})
}
