package conform

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites/discover"
)

// TestUnknownFields: what a script reads in vain belongs to the hooks whose events send what is
// meant.
func TestUnknownFields(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		code  string
		of    []string // the events of the script's hooks, which are their IDs
		hooks []string
		what  string
	}{
		"one of two events":          {"jq -r .tool_output", []string{"PreToolUse", "PostToolUse"}, []string{"PostToolUse"}, "the client sends tool_response"},
		"both events":                {"jq -r .toolName", []string{"PreToolUse", "PostToolUse"}, []string{"PreToolUse", "PostToolUse"}, "the client sends tool_name"},
		"a call that failed":         {"jq -r .tool_output", []string{"PostToolUseFailure"}, []string{"PostToolUseFailure"}, "the client sends error"},
		"an event that has it never": {"jq -r .tool_output", []string{"PreToolUse"}, []string{"PreToolUse"}, "PreToolUse does not send"},
		"a prompt":                   {"jq -r .user_prompt", []string{"Stop", "UserPromptSubmit"}, []string{"UserPromptSubmit"}, "the client sends prompt"},
		"an agent":                   {"jq -r .agent_name", []string{"SubagentStop"}, []string{"SubagentStop"}, "the client sends agent_type"},
	} {
		var hooks []discover.Hook
		for _, event := range tt.of {
			hooks = append(hooks, discover.Hook{ID: event, Event: event})
		}
		got := unknownFields(hooks, "x.sh", tt.code)
		if len(got) != 1 || !slices.Equal(got[0].Hooks, tt.hooks) || !strings.Contains(got[0].What, tt.what) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
