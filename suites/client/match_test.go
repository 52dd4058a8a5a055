package client

import "testing"

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
		{"SubagentStop", "code-review, a_1 | b", "code-reviewer", false}, {"SubagentStop", "code-review, a_1 | b", "a_1", true},
		{"SubagentStop", "code-review, a_1 | b", "code-review", true},
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
