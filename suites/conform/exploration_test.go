package conform

import (
	"cmp"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
)

// TestUnreached checks how decisions are reported to which no input came.
func TestUnreached(t *testing.T) {
	t.Parallel()
	src := "#!/bin/bash\nf=$(jq -r .tool_input.file_path)\nif [[ $f == secrets/* ]]; then\n  exit 2\nfi\n[[ $f == *.env ]] && exit 2\n"
	decisions := explore.Decisions("guard.sh", []byte(src))
	if len(decisions) != 2 {
		t.Fatalf("%d decisions", len(decisions))
	}
	compared := []explore.Comparison{
		{File: "/p/guard.sh", Line: 3, Op: explore.Glob, Value: "/p/src/a.py", Pattern: "secrets/*"},
		{File: "/p/guard.sh", Line: 6, Op: explore.Glob, Value: "/p/src/a.py", Pattern: "*.env"},
	}
	for _, tt := range []struct {
		name    string
		event   string
		reached map[int]bool
		ran     bool
		want    []string // severity, and a part of the text
	}{
		{"all but one that no path passes", "PreToolUse", map[int]bool{1: true}, true, []string{"warning absolute"}},
		{"all but one that some path passes", "PreToolUse", map[int]bool{0: true}, true, []string{`info "/p/src/a.py" with "*.env"`}},
		{"none of a guard", "PreToolUse", map[int]bool{}, true, []string{"warning absolute", `warning with "*.env"`}},
		{"none of a hook that stops nothing", "PostToolUse", map[int]bool{}, true, []string{"warning absolute", `info with "*.env"`}},
		{"a script that was not seen to run", "PreToolUse", map[int]bool{}, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := &exploration{hook: discover.Hook{ID: "h", Event: tt.event, Matcher: "Edit"}, decisions: decisions, reached: tt.reached, ran: map[string]bool{"guard.sh": tt.ran}, seen: compared, compared: true}
			found := x.findUnreached(false)
			if len(found) != len(tt.want) {
				t.Fatalf("%d findings, want %d: %+v", len(found), len(tt.want), found)
			}
			for i, f := range found {
				severity, part, _ := strings.Cut(tt.want[i], " ")
				if f.Severity != suites.Severity(severity) || !strings.Contains(f.What, part) {
					t.Errorf("%s %s, want %s", f.Severity, f.What, tt.want[i])
				}
			}
		})
	}
}

// TestUnobserved checks that an exploration ends where no firing is observed, as in place.
func TestUnobserved(t *testing.T) {
	t.Parallel()
	f := firing{event: "PreToolUse", tool: "Bash", command: "echo hello"}
	x := &exploration{hook: discover.Hook{Event: "PreToolUse", Matcher: "Bash"}, begin: []firing{f}}
	if probes := x.probes(); len(probes) != 1 || probes[0].Trace == nil {
		t.Fatalf("%d probes", len(probes))
	}
	if probes := x.probes(); len(probes) > 0 {
		t.Errorf("%d probes follow", len(probes))
	}
}

// TestInputs checks which texts make another call of a hook.
func TestInputs(t *testing.T) {
	t.Parallel()
	h := discover.Hook{Event: "PreToolUse", Matcher: "Edit|Write"}
	usual := firing{event: "PreToolUse", tool: "Write", file: "src/example.py"}
	for _, tt := range []struct {
		field explore.Field
		text  string
		ok    bool
		sent  string // in the payload
	}{
		{"tool_input.file_path", "x/.env", true, `"{override}/x/.env"`},
		{"tool_input.file_path", "/etc/passwd", true, `"/etc/passwd"`},
		{"tool_input.content", "a <b> & c", true, `"a <b> & c"`},
		{"tool_name", "Edit", true, `"tool_name":"Edit"`},
		{"tool_name", "Bash", false, ""},
		{"tool_input.other.deep", "x", true, `"tool_name":"Write"`}, // there is no such object
	} {
		f, ok := with(h, usual, explore.Input{Field: tt.field, Text: tt.text})
		if ok != tt.ok {
			t.Errorf("%s %q: %v", tt.field, tt.text, ok)
		}
		if sent := string(f.asCase(h).Steps[0].PayloadRaw); ok && !strings.Contains(sent, tt.sent) {
			t.Errorf("%s %q: sent %s", tt.field, tt.text, sent)
		}
	}
}

// TestUnsent checks which fields are those of another event.
func TestUnsent(t *testing.T) {
	t.Parallel()
	at := func(line int, field explore.Field) explore.FieldRead {
		return explore.FieldRead{File: "/p/a.sh", Line: line, Field: field}
	}
	for _, tt := range []struct {
		event string
		reads []explore.FieldRead
		what  string // "" for none
	}{
		{"WorktreeCreate", []explore.FieldRead{at(2, "cwd"), at(3, "worktree_path")}, "reads worktree_path, which WorktreeCreate does not send; WorktreeRemove does"},
		{"UserPromptSubmit", []explore.FieldRead{at(3, "tool_input.command")}, "reads tool_input.command, which UserPromptSubmit does not send"},
		{"WorktreeCreate", []explore.FieldRead{at(3, "name")}, ""},
		{"WorktreeCreate", []explore.FieldRead{at(3, "base_ref")}, ""}, // of no event
		{"UserPromptSubmit", []explore.FieldRead{at(3, "prompt"), at(3, "tool_input.command")}, ""},
		{"PreToolUse", []explore.FieldRead{at(3, "tool_input.file_path")}, ""}, // of another tool
	} {
		x := &exploration{hook: discover.Hook{ID: "h", Event: tt.event}, sources: map[string][]byte{"a.sh": nil}, sent: []firing{{event: tt.event, tool: "Bash", command: "true"}}, reads: tt.reads}
		found := x.findUnsent()
		if (tt.what != "") != (len(found) == 1) || len(found) == 1 && !strings.Contains(found[0].What, tt.what) {
			t.Errorf("%s, %v: %+v, want %q", tt.event, tt.reads, found, tt.what)
		}
	}
}

// TestMisreadings checks that a field is misread if it is read under another name and never under the client's.
func TestMisreadings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		event string
		reads []explore.Field
		what  string // "" for no finding without proof
		tried string // the alternative that needs proof
		tool  string // Bash if ""
	}{
		{"PreToolUse", []explore.Field{"tool_input.filePath"}, "", "", "mcp__pencil__open_document"},
		{"PostToolUse", []explore.Field{"tool_output"}, "the client sends tool_response", "", ""},
		{"PostToolUse", []explore.Field{"tool_output", "tool_response"}, "", "", ""},
		{"PostToolUseFailure", []explore.Field{"tool_output"}, "the client sends error", "", ""},
		{"PreToolUse", []explore.Field{"tool_output"}, "which PreToolUse does not send", "", ""},
		{"PreToolUse", []explore.Field{"tool_input.cmd"}, "", "tool_input.cmd", ""},
		{"PreToolUse", []explore.Field{"cmd"}, "", "", ""},
		{"PreToolUse", []explore.Field{"tool_input.cmd", "tool_input.command"}, "", "", ""},
		{"PreToolUse", []explore.Field{"tool_input.command", "toolName"}, "the client sends tool_name", "", ""},
		{"UserPromptSubmit", []explore.Field{"message"}, "", "message", ""},
		{"Notification", []explore.Field{"message"}, "", "", ""},
		{"PostToolUse", []explore.Field{"agent_name"}, "which PostToolUse does not send", "", ""},
		{"PreToolUse", []explore.Field{"turn_id"}, "", "", ""},
	} {
		f := firing{event: tt.event, tool: cmp.Or(tt.tool, "Bash"), command: "true", prompt: "p"}
		x := &exploration{hook: discover.Hook{ID: "h", Event: tt.event}, sources: map[string][]byte{"a.sh": nil}, sent: []firing{f}}
		for _, field := range tt.reads {
			x.reads = append(x.reads, explore.FieldRead{File: "/p/a.sh", Line: 3, Field: field})
		}
		found, tried := x.findMisreadFields(nil, ""), x.alternatives()
		if (tt.what == "") != (len(found) == 0) || len(found) == 1 && (!strings.Contains(found[0].What, tt.what) || found[0].At != "a.sh:3") {
			t.Errorf("%s %q: %+v, want %q", tt.event, tt.reads, found, tt.what)
		}
		if (tt.tried == "") != (len(tried) == 0) || len(tried) == 1 && string(tried[0].name) != tt.tried {
			t.Errorf("%s %q: %+v is tried, want %q", tt.event, tt.reads, tried, tt.tried)
		}
	}
}

// TestAlternatives checks which inputs an alternative changes.
func TestAlternatives(t *testing.T) {
	t.Parallel()
	const payload = `{"tool_name":"Bash","tool_input":{"command":"ls"}}`
	for want, a := range map[string]alternative{
		`{"tool_input":{"cmd":"ls","command":"ls"},"tool_name":"Bash"}`:    {name: "tool_input.cmd", meant: "tool_input.command"},
		`{"tool":"Bash","tool_input":{"command":"ls"},"tool_name":"Bash"}`: {name: "tool", meant: "tool_name"},
	} {
		if got := string(a.with([]byte(payload))); got != want {
			t.Errorf("%+v: %s", a, got)
		}
	}
	for variable, want := range map[string]string{"CLAUDE_TOOL_INPUT": `{"command":"ls"}`, "CLAUDE_TOOL_NAME": "Bash", "CLAUDE_TOOL_INPUT_COMMAND": "ls", "CLAUDE_FILE_PATH": ""} {
		if got := (alternative{variable: variable}).env([]byte(payload))[variable]; got != want {
			t.Errorf("%s: %q", variable, got)
		}
	}
}

// TestVariablesTried checks that a variable which a script sets, itself or in a file that it loads, is not tried.
func TestVariablesTried(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code, library string
		want          int
	}{
		{`case "${TOOL_NAME:-}" in`, "", 1},
		{"read -r TOOL_NAME REST < <(jq -r .tool_name)\ncase $TOOL_NAME in", "", 0},
		{`case "$TOOL_NAME" in`, "init() {\n  TOOL_NAME=$(jq -r .tool_name)\n}", 0},
		{`case "$TOOL_NAME" in`, "OTHER_TOOL_NAME=x", 1},
	} {
		x := &exploration{sources: map[string][]byte{"a.sh": []byte(tt.code), "lib.sh": []byte(tt.library)}}
		if got := x.alternatives(); len(got) != tt.want {
			t.Errorf("%q with %q: %+v", tt.code, tt.library, got)
		}
	}
	for text, want := range map[string]int{"TOOL_NAME=Bash": 0, "read -r TOOL_NAME": 0, "echo TOOL_NAME=": 1} {
		x := &exploration{hook: discover.Hook{Event: "PreToolUse"}, sources: map[string][]byte{"a.sh": []byte("echo $TOOL_NAME")}, reached: map[int]bool{}, effects: map[suites.Effect]bool{}, ran: map[string]bool{}}
		x.take(observation{firing: echo}, suites.Outcome{Results: []suites.Result{{}}, Trace: map[string][]byte{"bash/log": []byte("\x1e\x1f/lib.sh\x1f3\x1f0\x1f" + text + "\n")}})
		if got := x.alternatives(); len(got) != want {
			t.Errorf("%q was executed: %+v", text, got)
		}
	}
}

// TestIdleGuard checks what is said of a guard that compares nothing: whether it read its input at all.
func TestIdleGuard(t *testing.T) {
	t.Parallel()
	for unread, want := range map[bool]string{true: "it never reads its input", false: "it compares nothing of its input"} {
		x := newExplorationOf(discover.Hook{ID: "h", Event: "PreToolUse"}, nil, "a.sh")
		x.decisions, x.ran["a.sh"] = []explore.Decision{{File: "a.sh", Line: 3, Statement: "exit 2"}}, true
		x.take(observation{firing: echo}, suites.Outcome{Results: []suites.Result{{StdinUnread: unread}}})
		if found := x.findUnreached(false); len(found) != 1 || !strings.Contains(found[0].What, want) {
			t.Errorf("unread %v: %+v, want %q", unread, found, want)
		}
	}
}

// TestSwallowed checks that the error which a guard hides is named with its place, and which pattern of the tool's
// name is an error.
func TestSwallowed(t *testing.T) {
	t.Parallel()
	x := &exploration{hook: discover.Hook{ID: "h", Event: "PreToolUse"}, sources: map[string][]byte{"a.py": nil}}
	if found := x.findHiddenError(); len(found) > 0 {
		t.Errorf("without an error: %+v", found)
	}
	x.message = []string{"", "a.sh", "2", "jqq: command not found"}
	if found := x.findHiddenError(); len(found) != 1 || found[0].Severity != suites.Error || !strings.HasSuffix(found[0].What, "jqq: command not found (a.sh:2)") {
		t.Errorf("a program: %+v", found)
	}
	x.errors = []explore.Failure{{File: "/usr/lib/x.py", Line: 1, What: "KeyError"}, {File: "/p/a.py", Line: 5, What: "NameError: re"}}
	if found := x.findHiddenError(); len(found) != 1 || found[0].At != "a.py:5" || found[0].Severity != suites.Warning {
		t.Errorf("an exception: %+v", found)
	}
	x.foreign = []foreign{{explore.Comparison{File: "a.py", Line: 3, Op: explore.Equal, Pattern: "bash"}, "tool_name", "the client sends Bash"}}
	for stopped, want := range map[bool]string{false: "misnamed-tool", true: "misread-pattern"} {
		if found := x.findMisreadPatterns(stopped); len(found) != 1 || found[0].Rule != want {
			t.Errorf("%v: %+v", stopped, found)
		}
	}
}

// newExplorationOf returns the exploration of a hook with a script.
func newExplorationOf(h discover.Hook, a *alternative, script string) *exploration {
	return &exploration{hook: h, change: a, sources: map[string][]byte{script: nil}, reached: map[int]bool{}, effects: map[suites.Effect]bool{}, ran: map[string]bool{}}
}

// readOf returns a read of a field in a script.
func readOf(script string, line int, field explore.Field) explore.FieldRead {
	return explore.FieldRead{File: "/p/" + script, Line: line, Field: field}
}

// TestAsInput checks that the input of a command is without the file that other tools would get.
func TestAsInput(t *testing.T) {
	t.Parallel()
	for want, f := range map[Input]firing{
		{Tool: "Bash", Command: "rm -rf /"}: {tool: "Bash", command: "rm -rf /", file: "a.py"},
		{Tool: "Write", File: "b.py"}:       {tool: "Write", file: "b.py"},
		{Prompt: "hello"}:                   {prompt: "hello"},
	} {
		if got := f.asInput(); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
