package client

import "testing"

// TestSection5Matchers is every measured line about matchers.
func TestSection5Matchers(t *testing.T) {
	t.Parallel()
	const tool, say = "PreToolUse", "mcp__demo__say"
	for _, test := range []struct {
		name, event, matcher, value string
		want                        bool
	}{
		{"empty = all", tool, "", "Bash", true}, {"* = all", tool, "*", "Bash", true},
		{"list split on |", tool, "Edit|Bash", "Bash", true}, {"list split on ,", tool, "Edit,Bash", "Bash", true},
		{"list trimmed", tool, "Edit , Bash ", "Bash", true}, {"anything else is a regex", tool, "Bas.", "Bash", true},
		{"letters, digits, _, -, space, | and , are exact names", "SubagentStop", "code-review, a_1 | b", "code-reviewer", false},
		{"letters, digits, _, -, space, | and , are exact names", "SubagentStop", "code-review, a_1 | b", "a_1", true},
		{"letters, digits, _, -, space, | and , are exact names", "SubagentStop", "code-review, a_1 | b", "code-review", true},
		{"case-sensitive", tool, "BASH", "Bash", false}, {"invalid regex", tool, "(", "Bash", false},
		{"(?i:..) works", tool, "(?i:bash)", "Bash", true},
		{"^Task$ matches Agent", tool, "^Task$", "Agent", true}, {"Tas.* matches Agent", tool, "Tas.*", "Agent", true},
		{"KillShell is TaskStop", tool, "KillShell", "TaskStop", true}, {"KillBash is TaskStop", tool, "KillBash", "TaskStop", true},
		{"ListPeers is ListAgents", tool, "ListPeers", "ListAgents", true},
		{"StopFailure splits on | only", "StopFailure", "zzz,unknown", "unknown", false},
		{"StopFailure splits on |", "StopFailure", "zzz|unknown", "unknown", true},
		{"matched Bash", tool, "Bash", "Bash", true}, {"matched Bash", tool, "Bash|Edit", "Bash", true},
		{"matched Bash", tool, "Bash | Edit", "Bash", true}, {"matched Bash", tool, "Bash,Edit", "Bash", true},
		{"matched Bash", tool, " Bash", "Bash", true}, {"matched Bash", tool, "^Bash$", "Bash", true},
		{"matched Bash", tool, "ash$", "Bash", true}, {"matched Bash", tool, "B.*", "Bash", true}, {"matched Bash", tool, "Bash*", "Bash", true},
		{"never matched", tool, "bash", "Bash", false}, {"never matched", tool, "Bas", "Bash", false}, {"never matched", tool, "Ba", "Bash", false},
		{"never matched", tool, "Bash(echo *)", "Bash", false}, {"never matched", tool, "Bash(*)", "Bash", false},
		{"never matched", tool, "[", "Bash", false}, {"never matched", tool, `tool == "Bash"`, "Bash", false},
		{"never matched", tool, "/Bash/", "Bash", false}, {"never matched", tool, "!Edit", "Bash", false},
		{"MCP", tool, "mcp__demo__.*", say, true}, {"MCP", tool, "mcp__.*", say, true}, {"MCP", tool, "mcp__*", say, true},
		{"MCP", tool, "mcp__demo__say", say, true}, {"MCP matches nothing", tool, "mcp__demo", say, false},
		{"Task matches Agent", tool, "Task", "Agent", true}, {"Task does not match others", tool, "Task", "Bash", false},
		{"ignored on Stop", "Stop", "Bash", "", true}, {"ignored on UserPromptSubmit", "UserPromptSubmit", "[", "", true},
		{"SessionStart", "SessionStart", "startup", "startup", true}, {"SessionStart never", "SessionStart", "start", "startup", false},
		{"SessionStart never", "SessionStart", "Startup", "startup", false},
	} {
		t.Run("5 "+test.name+"/"+test.matcher+"/"+test.value, func(t *testing.T) {
			t.Parallel()
			if got := Match(test.event, test.matcher, test.value); got != test.want {
				t.Errorf("Match(%q, %q, %q) = %t", test.event, test.matcher, test.value, got)
			}
		})
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	const tool = "PreToolUse"
	for _, test := range []struct {
		event, matcher, value string
		want                  bool
	}{
		{tool, "Bash|Task", "Agent", true},
		{"SubagentStart", "Task", "Agent", false},
		{"preToolUse", "*", "Bash", false},
		{tool, "|", "Bash", false}, {tool, ",", "", false},
		{tool, "^(?!Bash$).*", "Bash", false}, {tool, "^(?!Bash$).*", "Edit", true}, {tool, "(?i)bash", "Bash", false},
	} {
		t.Run(test.event+"/"+test.matcher+"/"+test.value, func(t *testing.T) {
			t.Parallel()
			if got := Match(test.event, test.matcher, test.value); got != test.want {
				t.Errorf("Match(%q, %q, %q) = %t", test.event, test.matcher, test.value, got)
			}
		})
	}
}
