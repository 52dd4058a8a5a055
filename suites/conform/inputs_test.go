package conform

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/explore"
)

// guardOf returns an inquiry into a guard with this text.
func guardOf(event, matcher, text string) *Inquiry {
	return &Inquiry{hook: discover.Hook{Event: event, Matcher: matcher}, text: text}
}

// TestHarmful checks that the subject of a guard's text is among the first inputs.
func TestHarmful(t *testing.T) {
	for name, tt := range map[string]struct {
		matcher, text string
		want          string
		among         int // want is among this number of first inputs
	}{
		"a usual one whose words it has":               {"Bash", `if re.search(r"\brm\s+-rf", c): sys.exit(2)`, "rm -rf /", 8},
		"a command of its own":                         {"Bash", `case $c in *"kubectl drain"*) exit 2 ;; esac`, "kubectl drain", 8},
		"a word of its own":                            {"Bash", `BAD='frobnicate'; grep -q "$BAD" && exit 2`, "frobnicate", 20},
		"a file of its own next to Bash":               {"Bash|Write", `const no = ['prod.lock']; if (x) process.exit(2)`, "prod.lock", 12},
		"a file where it has many texts":               {"Bash|Read", manyPatterns, ".env", 12},
		"a word of its own and a program that it runs": {"Bash", `BAD='frobnicate'; git status; grep -q "$BAD" && exit 1`, "frobnicate", 8},
		"a usual one of a program that it speaks of":   {"Bash", `grep -q '^npm ' && exit 2`, "npm install left-pad", 16},
		"a usual one it does not mention":              {"Bash", `python3 other.py || exit 2`, "rm -rf /", searched},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range guardOf("PreToolUse", tt.matcher, tt.text).harmful() {
				got = append(got, f.command+f.file)
			}
			if i := slices.Index(got, tt.want); i < 0 || i >= tt.among {
				t.Errorf("%q is number %d of %q", tt.want, i, got)
			}
		})
	}
}

const manyPatterns = `
const ok = [/\.env\.example$/i, /\.env\.sample$/i];
const bad = [
  { regex: /(?:^|\/)\.env(?:\.[^/]*)?$/, reason: 'secret' }, { regex: /(?:^|\/)\.ssh\/id_[^/]+$/, reason: 'key' },
  { regex: /\b(cat|less|head)\s+[^|;]*\.env\b/i, reason: 'text' }, { regex: /\bcp\b[^;|&]*\.env\b/i, reason: 'copy' },
];
console.log(JSON.stringify({permissionDecision: 'deny'}));
`

// TestHarmfulBounds checks that the number of inputs does not depend on a hook's duration, and that
// a hook whose text names no decision gets few.
func TestHarmfulBounds(t *testing.T) {
	slow, quick := guardOf("PreToolUse", "Bash|Write", manyPatterns), guardOf("PreToolUse", "Bash|Write", manyPatterns)
	slow.took = suites.Result{Duration: 40 * time.Second}
	if diff := cmp.Diff(inputsOf(quick), inputsOf(slow)); diff != "" {
		t.Errorf("a slow hook is tried with other inputs (-quick +slow):\n%s", diff)
	}
	if n := len(guardOf("PreToolUse", "Bash|Write", manyPatterns).harmful()); n > searched {
		t.Errorf("%d inputs, want %d at most", n, searched)
	}
	const unnamed = 11 // eight usual ones, and what its text has
	for _, text := range []string{"cat >>log", "command -v wakatime || exit 0", "sys.exit(0)"} {
		if n := len(guardOf("PreToolUse", "Bash", text).harmful()); n == 0 || n > unnamed {
			t.Errorf("%q: %d inputs, want 1 to %d", text, n, unnamed)
		}
	}
	if n := len(guardOf("PostToolUse", "Bash", "exit 2").harmful()); n > 0 {
		t.Errorf("PostToolUse: %d inputs, want none", n)
	}
	for _, text := range []string{"echo no; exit 1", "process.exit(1)", "raise SystemExit(1)", "sys.exit(main())", "return 1", "set -e; grep -qv force", "process.stdout.write(x)", "sys.exit(bad)"} {
		if n := len(guardOf("PreToolUse", "Bash", text).harmful()); n == 0 {
			t.Errorf("%q: a hook that may fail is not tried", text)
		}
	}
}

func inputsOf(q *Inquiry) (all []string) {
	for _, f := range q.harmful() {
		all = append(all, f.tool+" "+f.input())
	}
	return all
}

func TestLiterals(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`if 'git push' in command:`, "git push"},
		{`grep -qE "rm\s+-rf"`, "rm -rf"},
		{`{ regex: /\bgit\s+push\b.*--force/i, reason: 'x' }`, "git push --force"},
		{`{ regex: /\b(cat|less)\s+[^|;]*\.env\b/i, x }`, "less  .env"},
		{"case $c in\n  *sudo*) exit 2 ;;\nesac", "sudo"},
		{"case $c in\n  npm*|yarn*) exit 2 ;;\nesac", "yarn"},
		{`grep -q "youtube\.com\|youtu\.be"`, "youtu.be"},
		{`grep -qE "curl.*\|\s*sh"`, "curl | sh"},
		{`grep -q "DROP[[:space:]]TABLE"`, "DROP TABLE"},
	} {
		if got := literals(tt.text, few); !slices.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.text, got, tt.want)
		}
	}
	for _, message := range []string{`echo "you must not do that here"`, "# never 'git push' here", `jq -r '.tool_input.command'`} {
		if got := literals(message, few); len(got) > 0 {
			t.Errorf("%s: %q, want nothing", message, got)
		}
	}
}

func TestSample(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		choice  int
		want    string
	}{
		{"rm", 0, "rm"}, {`(a1|b2|c3)`, 1, "b2"}, {`(a1|b2)`, 2, "a1"}, {`rm\s+-[rf]+`, 0, "rm -f"}, {`a{3}`, 0, "aaa"},
		{`x(?!y)z`, 0, "xz"}, {`git.*push`, 0, "git push"}, {`(unclosed`, 0, "(unclosed"}, {`^\.env$`, 0, ".env"},
	} {
		if got := explore.Sample(tt.pattern, tt.choice); got != tt.want {
			t.Errorf("%s, choice %d: %q, want %q", tt.pattern, tt.choice, got, tt.want)
		}
	}
}

func FuzzLiterals(f *testing.F) {
	f.Add(`const bad = [{ regex: /(?:^|\/)\.ssh\/id_[^/]+$/, reason: 'key' }, { regex: /\b(cat|less)\s+[^|;]*\.env\b/i }];`)
	f.Add("case $c in\n  *sudo*|'a b') exit 2 ;;\nesac")
	f.Add(`/(?:(?:a{40}){40}){40}/ ;`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range literals(text, few) {
			if len(l) < 2 || len(l) > 80 {
				t.Errorf("%q has %d bytes", l, len(l))
			}
		}
	})
}

// TestCallsOfWhatDiffers checks that a word which only one of two long lists has is sent, and every
// alternative of a pattern.
func TestCallsOfWhatDiffers(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	text := "case $(jq -r .tool_input.command) in\n"
	for i := range 90 {
		text += fmt.Sprintf("  *tool%d*) exit 2 ;;\n", i)
	}
	pattern := "esac\ngrep -qE '(one|two|three|four|five|six) now'\n"
	if err := os.WriteFile(filepath.Join(root, "guard.sh"), []byte(text+"  *special*) exit 2 ;;\n"+pattern), 0o755); err != nil {
		t.Fatal(err)
	}
	tree := Tree{Root: root, Reader: disk.Reader{Root: root}}
	h := discover.Hook{ID: "guard", Event: "PreToolUse", Matcher: "Bash", Type: "command", Command: "./guard.sh", Scripts: []string{"guard.sh"}}
	sent := map[string]bool{}
	for _, try := range Calls(tree, h, text) {
		sent[try.Input] = true
	}
	for _, want := range []string{"special", "six now", "one now"} {
		if !sent[want] {
			t.Errorf("%q is not among the %d calls", want, len(sent))
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
		for _, f := range condition(discover.Hook{Event: tt.event, Matcher: tt.matcher, If: tt.rule}) {
			got += f.Rule
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
			if v.empty != "" {
				sent = emptied(sent, v.empty)
			}
			if !json.Valid(sent) || string(sent) == string(usual) {
				t.Errorf("%s %s, %s: it is not another input: %.200s", f.event, f.tool, v.name, sent)
			}
		}
	}
}
