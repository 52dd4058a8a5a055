package run_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/process"
	"hookwatch/suites/process/testdata/processtest"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
	"hookwatch/suites/verdict"
)

func TestMain(m *testing.M) {
	attack()
	if err := errors.Join(processtest.ResolveShims(), processtest.Overlap(), process.Adopt()); err != nil {
		panic(err)
	}
	// The clock of patterns stops by itself, some time after the last match.
	processtest.VerifyTestMain(m, nil, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// A project is a temporary project with a space in its path.
type project struct {
	t    testing.TB
	root string
	temp string
}

func newProject(t testing.TB) *project {
	t.Helper()
	root := filepath.Join(t.TempDir(), "a project")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	return &project{t, root, t.TempDir()}
}

func (p *project) write(name, content string, mode fs.FileMode) {
	p.t.Helper()
	path := filepath.Join(p.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) runner() *run.Runner {
	p.t.Helper()
	registered, err := discover.Hooks(disk.Reader{}, p.root, []string{".claude/settings.json"}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return run.New(run.Options{
		Root: p.root, Temp: p.temp, Timeout: time.Minute,
		Isolation: direct("none", p.root),
		Env:       run.Environment(os.Environ(), nil),
		Hooks:     registered.For,
		InForce:   func() []discover.Hook { return registered.Hooks },
	})
}

// direct returns a mode without namespaces, in which cases have no limits.
func direct(mode, root string) sandbox.Choice {
	choice, err := sandbox.Choose(mode, sandbox.Options{Root: root}, "")
	if err != nil {
		panic(err)
	}
	return choice
}

func (p *project) judge(c *suites.Case) (suites.Verdict, suites.Outcome) {
	p.t.Helper()
	if c.Suite == "" {
		c.Suite, c.ID = "s", "A"
	}
	if c.Hook == "" && !c.Chain {
		c.Hook = "hook.sh"
	}
	timeout := c.Timeout
	if timeout == 0 {
		timeout = 20 * time.Second
	}
	o, err := p.runner().Case(context.Background(), c)
	if err != nil {
		p.t.Fatal(err)
	}
	return verdict.Judge(c, o, timeout), o
}

func code(n int) []int { return []int{n} }

func bashCase(e suites.Expectation) *suites.Case {
	return &suites.Case{Steps: []suites.Step{{Event: "PreToolUse", Tool: "Bash", Command: "pip install x", Expect: e}}}
}

// TestNamedVerdicts checks that any behaviour of a hook has one verdict that names the cause.
func TestNamedVerdicts(t *testing.T) {
	t.Parallel()
	exit0 := suites.Expectation{Exit: code(0)}
	tests := []struct {
		name, script string
		mode         fs.FileMode
		expect       suites.Expectation
		status       suites.Status
		note         string
	}{
		{"hangs", "#!/bin/bash\nsleep 100", 0o755, exit0, suites.Fail, "TIMEOUT_1s"},
		{"ignores TERM", "#!/bin/bash\ntrap '' TERM\nwhile :; do sleep 1; done", 0o755, exit0, suites.Fail, "TIMEOUT_1s"},
		{"own session", "#!/bin/bash\nsetsid sleep 100 >/dev/null 2>&1 &\nexit 0", 0o755, exit0, suites.Pass, "left a process behind: sleep (ended)"},
		{"floods", "#!/bin/bash\nhead -c 100000000 /dev/zero", 0o755, exit0, suites.Pass, "output cut: 100000000 bytes on stdout"},
		{"closes stdin", "#!/bin/bash\nexec 0<&-\nexit 0", 0o755, exit0, suites.Pass, ""},
		{"binary", "#!/bin/bash\nprintf '\\377\\376\\000'", 0o755, exit0, suites.Pass, "not UTF-8"},
		{"not executable", "#!/bin/bash\nexit 0", 0o644, exit0, suites.Fail, "hook not executable: chmod +x hook.sh"},
		{"missing", "", 0, exit0, suites.Fail, "hook missing: hook.sh"},
		{"CRLF", "#!/bin/bash\r\nexit 0\r\n", 0o755, exit0, suites.Fail, "CRLF"},
		{"BOM", "\xef\xbb\xbf#!/bin/bash\nexit 0\n", 0o755, exit0, suites.Fail, "byte order mark"},
		{"bad interpreter", "#!/usr/bin/bahs\nexit 0\n", 0o755, exit0, suites.Fail, "bad interpreter"},
		{"interpreter absent", "#!/nowhere/fish\nexit 0\n", 0o755, exit0, suites.Skip, "absent: fish (interpreter of hook.sh)"},
		{"wrong exit", "#!/bin/bash\nexit 0", 0o755, suites.Expectation{Exit: code(2)}, suites.Fail, "exit 0, want 2"},
		{"tool not found", "#!/bin/bash\nno-such-tool-here", 0o755, exit0, suites.Fail, "no-such-tool-here: command not found"},
		{"killed", "#!/bin/bash\nkill -9 $$", 0o755, exit0, suites.Fail, "exit by SIGKILL, want 0"},
		{"kills all it may", "#!/bin/bash\ntrap '' TERM\nkill -TERM 0\nexit 0", 0o755, exit0, suites.Pass, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			if tt.mode != 0 {
				p.write("hook.sh", tt.script, tt.mode)
			}
			c := bashCase(tt.expect)
			if strings.HasPrefix(tt.note, "TIMEOUT") {
				c.Timeout = time.Second
			}
			v, _ := p.judge(c)
			if v.Status != tt.status || !strings.Contains(v.Note, tt.note) || (tt.note == "" && v.Note != "") {
				t.Errorf("%s, note %q; want %s, %q", v.Status, v.Note, tt.status, tt.note)
			}
		})
	}
}

func TestSurroundings(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("hook.sh", `#!/bin/bash
input=$(cat)
case "$1$MODE" in
  "") echo "$input" >"$TMPDIR/payload"; echo "dir=$CLAUDE_PROJECT_DIR tmp=$TMPDIR pwd=$PWD guard=$HOOK_GUARD_PID" ;;
  state) if [ -f "$TMPDIR/seen" ]; then exit 2; fi; touch "$TMPDIR/seen" ;;
  tool) command -v grep >/dev/null && echo has-grep; command -v ls >/dev/null && echo has-ls; true ;;
  programs) sleep 1000; date; echo " $?"; own x; awkward; basename "${PATH%%:*}" | sed 's/s$//' | tr -d '\n' ;;
  fixture) cat "$FIXTURE" ;;
esac
`, 0o755)
	tests := []struct {
		name string
		c    suites.Case
	}{
		{"payload of the client", suites.Case{Steps: []suites.Step{{Event: "PreToolUse", Tool: "Bash", Command: "say \"hi\"",
			Expect: suites.Expectation{Exit: code(0), Files: []suites.FileExpectation{{Path: "payload",
				Text: suites.TextExpectation{Contains: []string{`"command":"say \"hi\""`, `"hook_event_name":"PreToolUse"`, `"cwd":`}}}}}}}}},
		{"variables", suites.Case{Steps: []suites.Step{{Event: "Stop", Expect: suites.Expectation{
			Stdout: &suites.TextExpectation{Contains: []string{"dir=" + p.root + " ", "pwd=" + p.root + " "}, Matches: []string{`guard=\d+\n`}}}}}}},
		{"override of the project", suites.Case{Project: &suites.ProjectOverride{Files: map[string]string{"x/y": "z"}},
			Steps: []suites.Step{{Event: "Stop", Expect: suites.Expectation{
				Stdout: &suites.TextExpectation{Absent: []string{"dir=" + p.root}, Contains: []string{"pwd=" + p.root + " "}},
				Files:  []suites.FileExpectation{{Path: "{override}/x/y", Text: suites.TextExpectation{Contains: []string{"z"}}}}}}}}},
		{"steps share state", suites.Case{Env: map[string]string{"MODE": "state"}, Steps: []suites.Step{
			{Event: "Stop", Expect: suites.Expectation{Exit: code(0)}},
			{Event: "Stop", Expect: suites.Expectation{Exit: code(2)}}}}},
		{"absent tool", suites.Case{Env: map[string]string{"MODE": "tool"}, CaseEnv: &suites.CaseEnv{AbsentTools: []string{"grep"}}, Steps: []suites.Step{
			{Event: "Stop", Expect: suites.Expectation{Stdout: &suites.TextExpectation{Contains: []string{"has-ls"}, Absent: []string{"has-grep"}}}}}}},
		{"programs of its own", suites.Case{Env: map[string]string{"MODE": "programs"}, CaseEnv: &suites.CaseEnv{Programs: []suites.Program{
			{Name: "sleep"}, {Name: "date", Stdout: "it's {session}", Stderr: "late", Exit: 7}, {Name: "own", Script: `echo "own $1 {tmp}"`}, {Name: "awkward", Script: "#!/bin/bash\n[[ a == a ]] && echo bash"}}},
			Steps: []suites.Step{{Event: "Stop", Expect: suites.Expectation{Stdout: &suites.TextExpectation{
				Matches: []string{`^it's \d+ 7\nown x /\S+/tmp\nbash\nprogram$`}}, Stderr: &suites.TextExpectation{Contains: []string{"late"}}}}}}},
		{"fixture", suites.Case{Env: map[string]string{"MODE": "fixture", "FIXTURE": "{tmp}/sub/f.txt"}, Steps: []suites.Step{
			{Event: "Stop", Fixtures: []suites.Fixture{{Path: "sub/f.txt", Content: "here"}},
				Expect: suites.Expectation{Stdout: &suites.TextExpectation{Contains: []string{"here"}}}}}}},
		{"raw stdin", suites.Case{Steps: []suites.Step{{Event: "PreToolUse", Stdin: new(string),
			Expect: suites.Expectation{Files: []suites.FileExpectation{{Path: "payload", Text: suites.TextExpectation{Matches: []string{`^\n$`}}}}}}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if v, o := p.judge(&tt.c); v.Status != suites.Pass {
				t.Errorf("%s: %s\nstdout %s\nstderr %s", v.Status, v.Note, o.Last().Stdout, o.Last().Stderr)
			}
		})
	}
}

func TestFixtureInProject(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("hook.sh", "#!/bin/bash\ncat in-project.toml", 0o755)
	p.write("mine.txt", "mine", 0o644)
	c := &suites.Case{Steps: []suites.Step{{Event: "Stop", Fixtures: []suites.Fixture{{Path: "{project}/in-project.toml", Content: "t"}},
		Expect: suites.Expectation{Stdout: &suites.TextExpectation{Contains: []string{"t"}}}}}}
	if v, _ := p.judge(c); v.Status != suites.Pass {
		t.Error(v.Note)
	}
	if _, err := os.Stat(filepath.Join(p.root, "in-project.toml")); !os.IsNotExist(err) {
		t.Error("the fixture is still in the project")
	}
	c.Suite, c.ID, c.Hook = "s", "B", "hook.sh"
	c.Steps[0].Fixtures[0].Path = "{project}/mine.txt"
	if _, err := p.runner().Case(context.Background(), c); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a fixture over a file of the user: %v", err)
	}
	if b, _ := os.ReadFile(filepath.Join(p.root, "mine.txt")); string(b) != "mine" {
		t.Errorf("the user's file is now %q", b)
	}
}

func TestServer(t *testing.T) {
	t.Parallel()
	if _, err := process.LookPath("curl", "/", os.Environ()); err != nil {
		t.Skip("curl is absent")
	}
	p := newProject(t)
	p.write("hook.sh", "#!/bin/bash\ncurl -s -d \"q=1\" \"$URL/v1/a/ask\"; curl -s -o /dev/null -w '%{http_code}' \"$URL/other\"", 0o755)
	c := &suites.Case{Env: map[string]string{"URL": "{server}"},
		CaseEnv: &suites.CaseEnv{Server: []suites.Route{{Method: "POST", Path: "/v1/**", Contains: "q=1", Reply: "answered "}}},
		Steps:   []suites.Step{{Event: "Stop", Expect: suites.Expectation{Stdout: &suites.TextExpectation{Contains: []string{"answered 404"}}}}}}
	if v, _ := p.judge(c); v.Status != suites.Pass {
		t.Error(v.Note)
	}
}

// TestFixture checks the age of a fixture, and that templates in it are filled in.
func TestFixture(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("hook.sh", `#!/bin/bash
now=$(date +%s)
old=$(( now - $(date -r "$TMPDIR/old" +%s) ))
IFS='|' read -r word ago here <"$TMPDIR/state"
echo "$(( old / 60 )) $word $(( (now - ago) / 60 )) $here $(cat "$TMPDIR/plain" "$TMPDIR/absolute")"
`, 0o755)
	c := &suites.Case{Steps: []suites.Step{{Event: "Stop",
		Fixtures: []suites.Fixture{
			{Path: "old", Age: 36*time.Hour + 30*time.Second},
			{Path: "state", Content: "fail|{now-15m}|{tmp}\n", Fill: true},
			{Path: "plain", Content: "{now} {tmp}"},
			{Path: "/{tmp}/absolute", Content: " absolute"},
		},
		Expect: suites.Expectation{Stdout: &suites.TextExpectation{Matches: []string{`^2160 fail 15 /.*/tmp \{now\} \{tmp\} absolute\n$`}}}}}}
	if v, _ := p.judge(c); v.Status != suites.Pass {
		t.Error(v.Note)
	}
}

func TestRepo(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("hook.sh", "#!/bin/bash\ngit branch --show-current; git status --porcelain", 0o755)
	c := &suites.Case{
		Repo: &suites.Repo{Branch: "topic", Commit: map[string]string{"a": "1", "b": "1", "c": "1"}, Stage: map[string]string{"a": "2"},
			Modify: map[string]string{"b": "2"}, Delete: []string{"c"}},
		Steps: []suites.Step{{Event: "Stop", Expect: suites.Expectation{Stdout: &suites.TextExpectation{
			Contains: []string{"topic\n", "M  a\n", " M b\n", " D c\n"}}}}},
	}
	if v, _ := p.judge(c); v.Status != suites.Pass {
		t.Error(v.Note)
	}
}

func TestChain(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("allow.sh", "#!/bin/sh\nsleep 0.05; echo '{\"decision\":\"approve\"}'", 0o755)
	p.write("deny.sh", "#!/bin/sh\necho no >&2; exit 2", 0o755)
	p.write("other.sh", "#!/bin/sh\nexit 2", 0o755)
	p.write(".claude/settings.json", `{"hooks":{"PreToolUse":[
		{"matcher":"Bash","hooks":[{"type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/allow.sh"},{"type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/deny.sh"}]},
		{"matcher":"Write","hooks":[{"type":"command","command":"./other.sh"}]}]}}`, 0o644)
	for tool, want := range map[string]suites.Effect{"Bash": suites.Denied, "Read": suites.Proceeds} {
		c := &suites.Case{Chain: true, Steps: []suites.Step{{Event: "PreToolUse", Tool: tool, Command: "x", Expect: suites.Expectation{Effect: want}}}}
		if v, o := p.judge(c); v.Status != suites.Pass {
			t.Errorf("%s: %s (%s)", tool, v.Note, o.Last().EffectReason)
		}
	}
}

// TestCondition checks that a hook whose if does not match the call is not run, and that fire names
// it.
func TestCondition(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("deny.sh", "#!/bin/sh\necho no >&2; exit 2", 0o755)
	p.write(".claude/settings.json", `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
		{"type":"command","if":"Bash(git commit:*)","command":"\"$CLAUDE_PROJECT_DIR\"/deny.sh"}]}]}}`, 0o644)
	for command, want := range map[string]suites.Effect{"git commit -m x": suites.Denied, "echo hello": suites.Proceeds} {
		c := &suites.Case{Suite: "s", ID: "A", Chain: true, Steps: []suites.Step{{Event: "PreToolUse", Tool: "Bash", Command: command, Expect: suites.Expectation{Effect: want}}}}
		if v, o := p.judge(c); v.Status != suites.Pass {
			t.Errorf("%s: %s (%s)", command, v.Note, o.Last().EffectReason)
		}
		fired, _, err := p.runner().Fire(context.Background(), c)
		var ran []bool
		for _, f := range fired {
			ran = append(ran, f.NotRun == "")
		}
		if d := cmp.Diff([]bool{want == suites.Denied}, ran); d != "" || err != nil {
			t.Errorf("%s: hooks that ran (-want +got), %v:\n%s", command, err, d)
		}
	}
}

// TestNotStarted checks hooks that the client cannot start: one of settings that names a plugin's
// directory, as a command or as an argument, and one for PowerShell.
func TestNotStarted(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("deny.sh", "#!/bin/sh\necho no >&2; exit 2", 0o755)
	for entry, want := range map[string]suites.Effect{
		`"command":"./deny.sh"`:                                     suites.Denied,
		`"command":"./deny.sh","args":["$CLAUDE_PLUGIN_ROOT"]`:      suites.Denied,
		`"command":"./deny.sh","args":["${CLAUDE_PLUGIN_ROOT}"]`:    suites.Proceeds,
		`"command":"./deny.sh # ${CLAUDE_PLUGIN_ROOT}"`:             suites.Proceeds,
		`"command":"./deny.sh ${CLAUDE_PLUGIN_ROOT}","if":"Bash"`:   suites.Proceeds,
		`"command":"./deny.sh","args":[],"shell":"powershell"`:      suites.Denied,
		`"command":"./deny.sh","shell":"powershell"`:                suites.Proceeds,
		`"command":"./deny.sh","shell":"bash","onFailure":"block"`:  suites.Denied,
		`"command":"x ${CLAUDE_PLUGIN_ROOT}","onFailure":"block"`:   suites.Denied,
		`"command":"./deny.sh","shell":"powershell","async":false`:  suites.Proceeds,
		`"command":"./deny.sh","args":["${CLAUDE_PLUGIN_DATA}/x"]`:  suites.Proceeds,
		`"command":"./deny.sh","args":["${CLAUDE_PROJECT_DIR}/x"]`:  suites.Denied,
		`"command":"./deny.sh","args":["${CLAUDE_PLUGIN_ROOT:-x}"]`: suites.Denied,
	} {
		p.write(".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command",`+entry+`}]}]}}`, 0o644)
		c := &suites.Case{Suite: "s", ID: "A", Chain: true, Steps: []suites.Step{{Event: "PreToolUse", Tool: "Bash", Command: "echo hello"}}}
		_, all, err := p.runner().Fire(context.Background(), c)
		if got := all.Last().Effect; got != want || err != nil {
			t.Errorf("fire %s: %s, want %s, %v", entry, got, want, err)
		}
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("hook.sh", "#!/bin/bash\nprintf '<%s>' \"$@\"", 0o755)
	c := bashCase(suites.Expectation{Stdout: &suites.TextExpectation{Contains: []string{"<a b><><", "a project/x>"}}})
	c.Steps[0].Args = []string{"a b", "", "{project}/x"}
	if v, _ := p.judge(c); v.Status != suites.Pass {
		t.Error(v.Note)
	}
}

func TestGates(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("hook.sh", "#!/bin/sh\nexit 0", 0o755)
	c := bashCase(suites.Expectation{Exit: code(0)})
	c.Gates = []suites.Gate{{Tool: "tool-not-here", Policy: suites.GateSkip}}
	if v, _ := p.judge(c); v.Status != suites.Skip || v.Note != "absent: tool-not-here" {
		t.Errorf("skip gate: %+v", v)
	}
	c.Gates[0].Policy = suites.GateFail
	if v, _ := p.judge(c); v.Status != suites.Fail || v.Note != "TOOL_NOT_HERE_ABSENT" {
		t.Errorf("fail gate: %+v", v)
	}
	c.Gates[0] = suites.Gate{Tool: "./tool", MinVersion: "2.12.0"}
	for version, note := range map[string]string{
		"Tool\nversion: 2.9.10": "version_skip: ./tool 2.9.10 < 2.12.0",
		"2.11":                  "version_skip: ./tool 2.11 < 2.12.0",
		"2.12":                  "",
		"tool 10.0":             "",
		"no number":             "",
	} {
		p.write("tool", "#!/bin/sh\nprintf '%s\\n' '"+version+"'\n", 0o755)
		if v, _ := p.judge(c); v.Note != note || (v.Status == suites.Skip) != (note != "") {
			t.Errorf("version %q: %+v", version, v)
		}
	}
	c.Gates, c.Layer = nil, suites.Live
	if v, _ := p.judge(c); v.Status != suites.Skip {
		t.Errorf("layer 2: %+v", v)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	caller := []string{"PATH=/bin", "HOME=/h", "LC_ALL=C", "API_KEY=s", "GH_TOKEN=s", "EDITOR=vi", "MY_VAR=1", "MY_KEY=2", "=x"}
	tests := []struct {
		list []string
		want string
	}{
		{nil, "PATH=/bin HOME=/h LC_ALL=C"},
		{[]string{"MY_VAR", "MY_*"}, "PATH=/bin HOME=/h LC_ALL=C MY_VAR=1"},
		{[]string{"API_KEY"}, "PATH=/bin HOME=/h LC_ALL=C API_KEY=s"},
	}
	for _, tt := range tests {
		if got := strings.Join(run.Environment(caller, tt.list), " "); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.list, got, tt.want)
		}
	}
}

func TestToolbox(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tool := filepath.Join(dir, "jq")
	write := func(s string) {
		if err := os.WriteFile(tool, []byte(s), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("#!/bin/sh\necho jq-9.9\n")
	r := run.New(run.Options{Root: t.TempDir(), Isolation: direct("none", ""), Env: []string{"PATH=" + dir + ":/bin:/usr/bin"}})
	defer r.Close()
	b := run.NewToolbox(r.Root, r.Env, map[string]string{"jaq": "gojq 1"}, nil)
	tools := b.Find([]string{"jq", "absent-tool", "jaq"})
	r.Versions(context.Background(), b, tools)
	found := []suites.Tool{{Name: "absent-tool"}, {Name: "jaq", Path: "stand-in", Version: "gojq 1", StandIn: true}, {Name: "jq", Path: tool, Version: "jq-9.9"}}
	if d := cmp.Diff(found, tools, cmpopts.IgnoreFields(suites.Tool{}, "Digest")); d != "" {
		t.Errorf("tools (-want +got):\n%s", d)
	}
	before := suites.ToolsDigest(tools)
	write("#!/bin/sh\necho jq-10.0 newer\n")
	if suites.ToolsDigest(b.Find([]string{"jq", "absent-tool", "jaq"})) == before {
		t.Error("a changed tool has the same digest")
	}
}

// TestBackstop: neither a suite nor settings make a step run longer than the
// backstop, and the verdict names the time-out that applied.
func TestBackstop(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("hook.sh", "#!/bin/bash\nexec sleep 60\n", 0o755)
	p.write(".claude/settings.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/hook.sh", "timeout": 35996400}]}]}}`, 0o644)
	for name, c := range map[string]*suites.Case{
		"the time-out of a case":                {Hook: "hook.sh", Timeout: 10 * time.Minute},
		"the default time-out":                  {Hook: "hook.sh"},
		"the time-out of a registered hook":     {Chain: true},
		"both, of a registered hook and a case": {Chain: true, Timeout: 10 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.Suite, c.ID, c.Steps = "s", name, bashCase(suites.Expectation{Exit: code(0)}).Steps
			r := p.runner()
			r.Timeout, r.Backstop = time.Hour, time.Second
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			defer cancel()
			o, err := r.Case(ctx, c)
			if err != nil {
				t.Fatal(err)
			}
			if v := verdict.Judge(c, o, r.Timeout); v.Status != suites.Fail || !strings.HasPrefix(v.Note, "TIMEOUT_1s") {
				t.Errorf("%s %q after %s", v.Status, v.Note, o.Duration)
			}
		})
	}
}
