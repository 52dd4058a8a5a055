package client

import (
	"testing"

	"hookwatch/suites"
)

// TestBeyondMeasured holds what follows from the measurements without being among
// them.
func TestBeyondMeasured(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"null is of no kind", "PreToolUse", out(`{"reason":null,"decision":"block"}`), dropped},
		{"paths that are no text", "SessionStart", out(specific("SessionStart", `"watchPaths":[1],"additionalContext":"CTX"`)), dropped},
		{"watched paths", "SessionStart", out(specific("SessionStart", `"watchPaths":["a"]`)), goesOn},
		{"empty context", "Stop", out(specific("Stop", `"additionalContext":""`)), goesOn},
		{"no such behaviour", "PermissionRequest", out(specific("PermissionRequest", `"decision":{"behavior":"block"}`)), dropped},
		{"no behaviour", "PermissionRequest", out(specific("PermissionRequest", `"decision":{}`)), dropped},
		{"no specific output", "PreCompact", out(specific("PreCompact", `"additionalContext":"CTX"`)), dropped},
		{"halt", "Notification", out(`{"continue":false}`), dropped},
		{"not started", "PreToolUse", Output{Exit: -1, NotStarted: "no such file"}, goesOn},
		{"deny beside an input", "PreToolUse", out(specific("PreToolUse", `"updatedInput":{"command":"ls"},"permissionDecision":"deny"`)), both(suites.Denied, "o")},
		{"an MCP tool's output", "PostToolUse", Output{Stdout: out(specific("PostToolUse", `"updatedMCPToolOutput":[]`)).Stdout, Matched: "mcp__a__b"}, both(suites.Rewritten, "")},
		{"unknown name at exit 2", "Stop", exits(2, specific("Whatever", `"additionalContext":"CTX"`), "ERR"),
			cell{suites.Ignored, suites.AnotherTurn, "", "ERR"}},
		{"halt and block", "SubagentStop", out(`{"continue":false,"decision":"block","reason":"RSN"}`), both(suites.AnotherTurn, "RSN")},
		{"the tool stands in the payload", "PreToolUse", Output{Exit: 2, Payload: []byte(`{"tool_name":"Bash"}`)}, both(suites.Denied, "PreToolUse:Bash hook error")},
		{"an MCP tool's empty input", "PreToolUse", Output{Stdout: out(specific("PreToolUse", `"updatedInput":{}`)).Stdout, Matched: "mcp__a__b"}, both(suites.Denied, "")},
		{"shown", "MessageDisplay", out(specific("MessageDisplay", `"displayContent":"x"`)), both(suites.Rewritten, "")},
		{"answered", "Elicitation", out(specific("Elicitation", `"action":"accept","content":{}`)), both(suites.Rewritten, "")},
		{"declined", "Elicitation", out(specific("Elicitation", `"action":"decline"`)), both(suites.Denied, "")},
		{"no answer", "PreToolUse", with(out("yes"), Entry{Type: "prompt"}), dropped},
	})
}

// TestRules holds that every kind of cause is explained, once.
func TestRules(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, rule := range Rules() {
		if seen[rule.ID] {
			t.Errorf("%s is there twice", rule.ID)
		}
		seen[rule.ID] = true
		if rule.What == "" || rule.Client == "" || rule.Severity == "" {
			t.Errorf("%s is not explained: %+v", rule.ID, rule)
		}
		if rule.Severity == suites.Error && rule.Remedy == "" {
			t.Errorf("%s is an error without a remedy", rule.ID)
		}
	}
}
