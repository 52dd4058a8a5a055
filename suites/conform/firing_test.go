package conform

import (
	"encoding/json"
	"testing"

	"hookwatch/suites/discover"
)

// TestPassing checks that a hook gets a value that a client sends and its matcher accepts.
func TestPassing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ event, matcher, want string }{
		{"SubagentStart", "", "general-purpose"}, {"SubagentStart", "*", "general-purpose"}, {"SubagentStop", "planner|coder", "planner"},
		{"SubagentStop", "general-.*", "general-purpose"}, {"Notification", "", "elicitation_response"}, {"Notification", "idle_prompt", "idle_prompt"},
		{"SessionStart", "", "startup"}, {"SessionStart", "resume", "resume"}, {"SessionStart", "begin", ""}, {"Stop", "", ""},
		{"PreToolUse", "", "Bash"}, {"PreToolUse", "Grep|Glob", "Grep"}, {"PostToolUse", "WebFetch", "WebFetch"}, {"PreToolUse", "Skill", "Skill"},
		{"PreToolUse", "Task", "Agent"}, {"PreToolUse", "mcp__github__create_issue", "mcp__github__create_issue"}, {"PreToolUse", "mcp__.*", "mcp__example__example"}, {"PreToolUse", "mcp__github__.*", "mcp__github__example"},
	} {
		if got := Passing(discover.Hook{Event: test.event, Matcher: test.matcher, Type: "command"}); got != test.want {
			t.Errorf("%s %q: %q, want %q", test.event, test.matcher, got, test.want)
		}
	}
}

// TestVariants checks that each variant is a payload of the event with another text, in the
// client's form.
func TestVariants(t *testing.T) {
	t.Parallel()
	for _, f := range []firing{
		{event: "PreToolUse", tool: "Bash", command: "echo hello"}, {event: "PostToolUse", tool: "Write", file: "a"}, {event: "PostToolUse", tool: "Edit", file: "a"},
		{event: "PreToolUse", tool: "Grep"}, {event: "PreToolUse", tool: "Agent"}, {event: "PreToolUse", tool: "mcp__demo__say"}, {event: "UserPromptSubmit", prompt: "hello"},
	} {
		usual := f.asCase(discover.Hook{Event: f.event}).Steps[0].PayloadRaw
		for _, v := range variants(f, "true") {
			sent := v.asCase(discover.Hook{Event: f.event}).Steps[0].PayloadRaw
			if v.empty != "" {
				sent = emptied(sent, v.empty)
			}
			if !json.Valid(sent) || string(sent) == string(usual) {
				t.Errorf("%s %s, %s: it is not another input: %.200s", f.event, f.tool, v.name, sent)
			}
		}
	}
}
