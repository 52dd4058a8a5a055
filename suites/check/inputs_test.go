package check

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hookwatch/suites"
	"hookwatch/suites/discover"
)

// TestHarmful checks that the inputs whose words a guard's text has come first, and that their number is bounded.
func TestHarmful(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		event, matcher, text string
		want                 string // among the first four
		most                 int
	}{
		"a command":                 {"PreToolUse", "Bash", `if re.search(r"\brm\s+-rf", c): sys.exit(2)`, "rm -rf /", searched},
		"a file next to commands":   {"PreToolUse", "Bash|Write", `const no = ['poetry.lock']; if (x) process.exit(2)`, "poetry.lock", searched},
		"a prompt":                  {"UserPromptSubmit", "", "exit 2", "AKIAIOSFODNN7EXAMPLE", len(badPrompts)},
		"nothing that it speaks of": {"PreToolUse", "Bash", "cat >>log", "rm -rf /", searched},
		"after the call":            {"PostToolUse", "Bash", "exit 2", "", 0},
	} {
		var got []string
		for _, f := range (subject{hook: discover.Hook{Event: tt.event, Matcher: tt.matcher}, text: tt.text}).harmful() {
			got = append(got, f.command+f.file+f.prompt)
		}
		if first := got[:min(len(got), batch)]; len(got) > tt.most || tt.want != "" && !slices.Contains(first, tt.want) {
			t.Errorf("%s: %d inputs, the first %q", name, len(got), first)
		}
	}
}

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
		{discover.Hook{Event: "PreToolUse", Matcher: "Write", If: "Write(*.ts)"}, "Write", "", "{tmp}/example.ts", ""},
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
		want := suites.Step{Event: tt.hook.Event, Tool: tt.tool, Command: tt.command, FilePath: tt.file}
		if tt.payload != "" {
			want.Payload = json.RawMessage(tt.payload)
		}
		if d := cmp.Diff(want, st, cmpopts.IgnoreFields(suites.Step{}, "Fixtures")); d != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.hook.Event, tt.hook.Matcher, d)
		}
	}
	if c := Typical(Tree{Root: t.TempDir()}, discover.Hook{Event: "PreToolUse", Matcher: "Bash", If: "Edit(*.ts)"}); c != nil {
		t.Errorf("a call for a condition of another tool: %+v", c.Steps[0])
	}
	if c, _ := Call(Tree{Root: t.TempDir()}, discover.Hook{Event: "SessionStart", Matcher: "Startup"}); c != nil {
		t.Errorf("a call for a matcher that nothing matches: %+v", c.Steps[0])
	}
}

// TestCondition checks the findings about an "if" that lets nothing through, or less than the matcher.
func TestCondition(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ event, matcher, rule, want string }{
		{"PreToolUse", "Bash", "Edit(*.ts)", "dead-condition"},
		{"PreToolUse", "Bash", "Bash(git *)", ""},
		{"PreToolUse", "Bash", "Read(x)", "dead-condition"},
		{"PreToolUse", "Bash", "mcp__a__b", "dead-condition"},
		{"PreToolUse", "mcp__a__.*", "mcp__a__b", ""},
		{"PreToolUse", "mcp__a__.*", "mcp__a__b(x)", "dead-condition"},
		{"PreToolUse", "mcp__a__.*", "mcp__a__*", "dead-condition"},
		{"PreToolUse", "mcp__a__.*", "mcp__a", "dead-condition"},
		{"PreToolUse", "Task", "Task", ""},
		{"PreToolUse", "Task", "Agent(general-purpose)", "dead-condition"},
		{"PreToolUse", "Bash", "Bash(git *", "dead-condition"},
		{"PreToolUse", "Bash", " Bash ", "dead-condition"},
		{"PreToolUse", "Edit", "MultiEdit(*.ts)", "dead-condition"},
		{"PreToolUse", "Edit|Write", "Edit(*.ts)", "uncovered-tool"},
		{"PostToolUse", "Edit|Write", "Edit(*.ts)", ""},
		{"Stop", "", "Bash", "dead-condition"},
	} {
		var got string
		s := (Tree{}).site(discover.Hook{Event: tt.event, Matcher: tt.matcher, If: tt.rule})
		for id, judge := range map[string]func(site) []Finding{"dead-condition": judgeCondition, "uncovered-tool": judgeNarrowCondition} {
			if len(judge(s)) > 0 {
				got += id
			}
		}
		if got != tt.want {
			t.Errorf("%s %s, if %s: %q, want %q", tt.event, tt.matcher, tt.rule, got, tt.want)
		}
	}
}

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
			if !json.Valid(sent) || string(sent) == string(usual) {
				t.Errorf("%s %s, %s: it is not another input: %.200s", f.event, f.tool, v.note, sent)
			}
		}
	}
}

// TestIssued checks that a text gets tokens of the length that their services issue, unless it has what no token has.
func TestIssued(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"x ghp_a y":            "x ghp_" + strings.Repeat("q7ZkM2x9Wt4T8vJr3R6pYb5NhDc", 8)[:36] + " y",
		`"AKIAAAAA"`:           `"AKIAQ7ZK2M9XW4T8VJ3R"`,
		"AKIAA{{{{{{{{{{{{{{{": "AKIAA{{{{{{{{{{{{{{{",
		"none":                 "none",
	} {
		if got := issued(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
