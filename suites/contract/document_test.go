package contract

import (
	"strings"
	"testing"

	"hookwatch/suites"
)

func specificOutput(event, fields string) string {
	return `{"hookSpecificOutput":{"hookEventName":"` + event + `",` + fields + `}}`
}

// TestInterpretSpecific holds on both versions.
func TestInterpretSpecific(t *testing.T) {
	t.Parallel()
	const bashShape = `{"stdout":"","stderr":"","interrupted":false,"isImage":false}`
	for _, test := range []struct {
		name, event, fields, decision string
		want                          suites.Effect
		sees                          string
	}{
		{"allow", "PreToolUse", `"permissionDecision":"allow","permissionDecisionReason":"RSN"`, "allow", suites.Allowed, ""},
		{"deny", "PreToolUse", `"permissionDecision":"deny","permissionDecisionReason":"RSN"`, "deny", suites.Denied, "RSN"},
		{"ask", "PreToolUse", `"permissionDecision":"ask","permissionDecisionReason":"RSN"`, "ask", suites.Asked, "RSN"},
		{"defer", "PreToolUse", `"permissionDecision":"defer"`, "defer", suites.SessionEnds, ""},
		{"input", "PreToolUse", `"updatedInput":{"command":"ls"}`, "none", suites.Rewritten, ""},
		{"input and deny", "PreToolUse", `"updatedInput":{},"permissionDecision":"deny"`, "deny", suites.Denied, "o"},
		{"context beside deny", "PreToolUse", `"additionalContext":"CTX","permissionDecision":"deny"`, "deny", suites.Denied, "CTX"},
		{"context before a tool", "PreToolUse", `"additionalContext":"CTX"`, "none", suites.ContextAdded, "CTX"},
		{"context after a tool", "PostToolUse", `"additionalContext":"CTX"`, "none", suites.ContextAdded, "CTX"},
		{"context after a failure", "PostToolUseFailure", `"additionalContext":"CTX"`, "none", suites.ContextAdded, "CTX"},
		{"context with a prompt", "UserPromptSubmit", `"additionalContext":"CTX"`, "none", suites.ContextAdded, "CTX"},
		{"context at the start", "SessionStart", `"additionalContext":"CTX"`, "none", suites.ContextAdded, "CTX"},
		{"context at the stop", "Stop", `"additionalContext":"CTX"`, "none", suites.AnotherTurn, "CTX"},
		{"context at a subagent's stop", "SubagentStop", `"additionalContext":"CTX"`, "none", suites.AnotherTurn, "CTX"},
		{"empty context", "Stop", `"additionalContext":""`, "none", suites.Proceeds, ""},
		{"long context", "PreToolUse", `"additionalContext":"` + strings.Repeat("x", 10_001) + `"`, "none", suites.ContextAdded, "persisted-output"},
		{"context that just fits", "PreToolUse", `"additionalContext":"` + strings.Repeat("x", 10_000) + `"`, "none", suites.ContextAdded, "xxx"},
		{"first message", "SessionStart", `"initialUserMessage":"MSG"`, "none", suites.AnotherTurn, "MSG"},
		{"watched paths", "SessionStart", `"watchPaths":["a"]`, "none", suites.Proceeds, ""},
		{"watched paths of no strings", "SessionStart", `"watchPaths":[1],"additionalContext":"CTX"`, "none", suites.Ignored, ""},
		{"output as text", "PostToolUse", `"updatedToolOutput":"text"`, "none", suites.Ignored, ""},
		{"output in the tool's shape", "PostToolUse", `"updatedToolOutput":` + bashShape, "none", suites.Rewritten, ""},
		{"output of an MCP tool on Bash", "PostToolUse", `"updatedMCPToolOutput":{}`, "none", suites.Ignored, ""},
		{"grant", "PermissionRequest", `"decision":{"behavior":"allow"}`, "allow", suites.Allowed, ""},
		{"refusal", "PermissionRequest", `"decision":{"behavior":"deny","message":"MSG"}`, "deny", suites.Denied, "MSG"},
		{"no behaviour", "PermissionRequest", `"decision":{"behavior":"block"}`, "block", suites.Ignored, ""},
		{"no such output", "PreCompact", `"additionalContext":"CTX"`, "none", suites.Ignored, ""},
	} {
		for _, version := range Versions() {
			t.Run(test.name+"/"+string(version), func(t *testing.T) {
				t.Parallel()
				in := Output{Stdout: []byte(specificOutput(test.event, test.fields)), Matched: "Bash"}
				check(t, Interpret(version, test.event, in), test.decision, test.want, test.sees)
			})
		}
	}
}

func TestInterpretOtherEvents(t *testing.T) {
	t.Parallel()
	exit2 := Output{Exit: 2, Stderr: []byte("ERR"), Command: "hook.sh"}
	block := Output{Stdout: []byte(blockJSON)}
	halt := Output{Stdout: []byte(`{"continue":false}`)}
	for _, test := range []struct {
		name, event string
		version     Version
		in          Output
		want        suites.Effect
	}{
		{"exit 2", "SubagentStop", Default, exit2, suites.AnotherTurn},
		{"block", "SubagentStop", Default, block, suites.AnotherTurn},
		{"halt", "SubagentStop", Default, halt, suites.Ignored},
		{"exit 2", "PermissionRequest", Default, exit2, suites.Ignored},
		{"block", "PermissionRequest", Default, block, suites.Ignored},
		{"exit 2", "PostToolUseFailure", Default, exit2, suites.ShownToModel},
		{"text", "PostToolUseFailure", Default, out("TEXT"), suites.Ignored},
		{"exit 2", "Notification", Default, exit2, suites.Ignored},
		{"exit 2", "UserPromptExpansion", Default, exit2, suites.PromptBlocked},
		{"exit 1", "WorktreeCreate", Default, Output{Exit: 1}, suites.Denied},
		{"path", "WorktreeCreate", Default, out("/tmp/w\n"), suites.Proceeds},
		{"exit 2", "WorktreeRemove", V197, exit2, suites.Ignored},
		{"exit 2", "WorktreeRemove", V329, exit2, suites.Denied},
		{"exit 2", "PreModelSwitch", V329, exit2, suites.Denied},
		{"timeout", "PreModelSwitch", V329, Output{TimedOut: true}, suites.Denied},
		{"no such event yet", "PreModelSwitch", V197, exit2, suites.Ignored},
		{"no such event", "preToolUse", Default, exit2, suites.Ignored},
		{"halt", "Notification", Default, halt, suites.Ignored},
		{"approve and deny", "PreToolUse", Default, out(`{"decision":"approve",` + specificOutput("PreToolUse", `"permissionDecision":"deny"`)[1:]), suites.Denied},
	} {
		t.Run(test.event+"/"+test.name+"/"+string(test.version), func(t *testing.T) {
			t.Parallel()
			if got := Interpret(test.version, test.event, test.in); got.Effect != test.want {
				t.Errorf("effect %q, want %q (%s)", got.Effect, test.want, got.Reason)
			}
		})
	}
}

func FuzzInterpret(f *testing.F) {
	for _, row := range rows() {
		f.Add(row.in.Exit, string(row.in.Stdout), string(row.in.Stderr), 0, false)
	}
	f.Fuzz(func(t *testing.T, exit int, stdout, stderr string, event int, old bool) {
		version := Default
		about := events[uint(event)%uint(len(events))]
		if old && about.Known(V197) {
			version = V197
		}
		name := about.Name
		in := Output{Exit: exit, Stdout: []byte(stdout), Stderr: []byte(stderr), Command: "hook.sh", Matched: "Bash"}
		got := Interpret(version, name, in)
		if exit == 0 && strings.TrimSpace(stdout) == "" && got.Effect != suites.Proceeds {
			t.Errorf("%s: exit 0 and silence gave %q", name, got.Effect)
		}
		if got.Effect == "" || got.Decision == "" || got.Reason == "" {
			t.Errorf("%s: incomplete reading %+v", name, got)
		}
	})
}
