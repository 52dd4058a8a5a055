package conform

import (
	"testing"

	"hookwatch/suites/discover"
)

// TestCall checks that the hook's matcher and its if accept the call, which sets no field that the
// client itself decides.
func TestCall(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		hook                         discover.Hook
		tool, command, file, payload string
	}{
		{discover.Hook{Event: "PreToolUse", Matcher: "Bash"}, "Bash", "echo hello", "", ""},
		{discover.Hook{Event: "PreToolUse", Matcher: "Bash", If: "Bash(git push *)"}, "Bash", "git push example", "", ""},
		{discover.Hook{Event: "PreToolUse", Matcher: "Bash", If: "Bash(git:*)"}, "Bash", "git example", "", ""},
		{discover.Hook{Event: "PreToolUse", Matcher: "Edit|Write", If: "Edit(*.ts)"}, "Edit", "", "{tmp}/example.ts", ""},
		{discover.Hook{Event: "PreToolUse", Matcher: "Bash", If: "Bash(git commit:*)"}, "Bash", `git commit -m "feat: add an example"`, "", ""},
		{discover.Hook{Event: "PreToolUse", Matcher: "Write", If: "Edit(*.ts)"}, "Write", "", "{tmp}/example.ts", ""},
		{discover.Hook{Event: "PreToolUse", Matcher: "Write", Scope: discover.InPlugin}, "Write", "", "{override}/src/example.py", ""},
		{discover.Hook{Event: "PermissionRequest"}, "Bash", "touch hookwatch-example", "", ""},
		{discover.Hook{Event: "PostToolUse", Matcher: "WebSearch"}, "WebSearch", "", "", `{"tool_input":{"query":"hello"}}`},
		{discover.Hook{Event: "PreToolUse", Matcher: "Bash", Type: "command", Command: `grep -q 'git push --force' && exit 2`}, "Bash", "git push --force", "", ""},
		{discover.Hook{Event: "PreToolUse", Matcher: "Bash", Type: "command", Command: `grep -qE 'rm -rf /' && exit 2`}, "Bash", "echo hello", "", ""},
		{discover.Hook{Event: "PreToolUse", Matcher: "Write|Edit", Type: "command", Command: `grep -q '\.env' && exit 2`}, "Write", "", "{tmp}/.env", ""},
		{discover.Hook{Event: "Notification"}, "", "", "", `{"notification_type":"elicitation_response"}`},
		{discover.Hook{Event: "Notification", Matcher: "idle_prompt"}, "", "", "", `{"notification_type":"idle_prompt"}`},
		{discover.Hook{Event: "SessionEnd"}, "", "", "", ""},
		{discover.Hook{Event: "SessionStart", Matcher: "clear|resume"}, "", "", "", `{"source":"resume"}`},
		{discover.Hook{Event: "SubagentStop", Matcher: "reviewer"}, "", "", "", `{"agent_type":"reviewer"}`},
		{discover.Hook{Event: "UserPromptSubmit"}, "", "", "", `{"prompt":"say hello"}`},
		{discover.Hook{Event: "UserPromptExpansion"}, "", "", "", `{"command_name":"example"}`},
	} {
		c, _ := Call(Tree{Root: t.TempDir()}, tt.hook)
		if c == nil {
			t.Errorf("%+v: no call", tt.hook)
			continue
		}
		st := c.Steps[0]
		if st.Tool != tt.tool || st.Command != tt.command || st.FilePath != tt.file || string(st.Payload) != tt.payload || st.PayloadRaw != nil {
			t.Errorf("%s %s: %s %s %s %s", tt.hook.Event, tt.hook.Matcher, st.Tool, st.Command, st.FilePath, st.Payload)
		}
	}
	if c := Typical(Tree{Root: t.TempDir()}, discover.Hook{Event: "PreToolUse", Matcher: "Bash", If: "Edit(*.ts)"}); c != nil {
		t.Errorf("a call for a condition of another tool: %+v", c.Steps[0])
	}
	for rule, want := range map[string]int{"Edit(*.ts)": 1, "Bash(git *)": 0, "Read(x)": 1, "mcp__a__b": 0} {
		if got := condition(discover.Hook{Event: "PreToolUse", Matcher: "Bash", If: rule}); len(got) != want {
			t.Errorf("%s: %+v", rule, got)
		}
	}
	if c, _ := Call(Tree{Root: t.TempDir()}, discover.Hook{Event: "SessionStart", Matcher: "Startup"}); c != nil {
		t.Errorf("a call for a matcher that nothing matches: %+v", c.Steps[0])
	}
}
