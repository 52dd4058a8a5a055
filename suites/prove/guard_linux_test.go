package prove

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/check"
	"hookwatch/suites/discover"
	"hookwatch/suites/process/testdata/processtest"
	"hookwatch/suites/reference"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// searchGuard searches the guard of the starter commands, changed by edit, from some commands.
func searchGuard(t *testing.T, edit func(string) string, o Options, commands ...string) Guard {
	t.Helper()
	m, h := guardMachine(t, "Bash", edit)
	for _, c := range commands {
		o.Inputs = append(o.Inputs, check.Input{Tool: "Bash", Command: c})
	}
	o.Only, o.Budget = true, 10*time.Minute
	g, err := Search(context.Background(), check.Tree{Root: h.Root}, h, m, o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// guardMachine returns a machine and a guard with this matcher: that of the starter commands, changed by edit.
func guardMachine(t *testing.T, matcher string, edit func(string) string) (*Machine, discover.Hook) {
	t.Helper()
	for _, tool := range []string{"python3", "shfmt", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s: %v", tool, err)
		}
	}
	root, temp, home := t.TempDir(), t.TempDir(), t.TempDir()
	if _, err := reference.Commands.Extract(root); err != nil {
		t.Fatal(err)
	}
	const script = ".claude/hooks/guard_commands.py"
	file := filepath.Join(root, script)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := edit(string(text))
	if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	choice, err := sandbox.Choose(sandbox.Auto, sandbox.Options{Root: root, Home: home, Shown: filepath.SplitList(path), Size: 64 << 20, Processes: 100}, temp)
	if err != nil {
		t.Skip("no namespaces: ", err)
	}
	// Without -S, Python takes as long to look for packages, of which the guard has none, as for all else.
	h := discover.Hook{ID: "guard", Event: "PreToolUse", Matcher: matcher, Type: "command", Command: `python3 -S "$CLAUDE_PROJECT_DIR"/` + script, Scripts: []string{script}, Root: root, Timeout: time.Minute}
	options := run.Options{
		Root: root, Temp: temp, Timeout: time.Minute, Isolation: choice, Env: append(run.Environment(os.Environ(), nil), "HOME="+home),
		Registered: func(_, name, _ string) (discover.Hook, bool) { return h, name == h.ID },
	}
	hooks := run.New(options)
	t.Cleanup(hooks.Close)
	options.Registered = Executor
	executor := run.New(options)
	t.Cleanup(executor.Close)
	b := bench.New(2, func(ctx context.Context, q suites.Request) (suites.Outcome, error) {
		if q.Trace != nil { // these tests explore no hook
			return suites.Outcome{NotRun: new(suites.NotRun)}, nil
		}
		return hooks.Make(ctx, q)
	})
	return &Machine{Bench: b, Executor: b.With(executor.Make)}, h
}

// everyGuard reports whether the tests of guards, which take minutes, shall try every rewrite and
// every break.
func everyGuard() bool { return os.Getenv("HOOKWATCH_TEST_GUARDS") == "all" }

// TestSoundGuard checks that a guard that parses is not called porous by habit: by the first rewrites,
// by all of them if the tests are exhaustive, or with HOOKWATCH_TEST_GUARDS=all by quoting and from
// another command.
func TestSoundGuard(t *testing.T) {
	t.Parallel()
	brief := !processtest.Exhaustive() && !everyGuard()
	most, least, commands := Habit, 20, []string{"rm -rf /srv/data"}
	if everyGuard() {
		most, least, commands = Quoting, 150, append(commands, "git push --force origin main")
	}
	g := searchGuard(t, func(s string) string { return s }, Options{Most: most, Brief: brief, Seed: 1}, commands...)
	if g.Unproved != "" || !g.Complete || g.Equivalent < least {
		t.Errorf("unproved %q, complete %t, %d equivalent", g.Unproved, g.Complete, g.Equivalent)
	}
	for _, f := range g.Findings {
		t.Errorf("%s by %s: %q, %s", f.What, f.Kind, f.Input.Text(), f.Does)
	}
}

// TestBrokenGuard breaks the guard in ways that real guards are broken, and checks that each is
// found: some of them, or with HOOKWATCH_TEST_GUARDS=all every one.
func TestBrokenGuard(t *testing.T) {
	t.Parallel()
	const push, rm = "git push --force origin main", "rm -rf /srv/data"
	for name, tt := range map[string]struct {
		old, new string
		command  string
		what     What
		kind     Kind
	}{
		"short options":     {`"push": ("fd", `, `"push": ("", `, push, Bypass, Habit},
		"refspecs":          {`a[0:1] in ("+", ":")`, `False`, push, Bypass, Habit},
		"paths of programs": {"os.path.basename(words[0]), words[1:]\n        if name in self.functions", "words[0], words[1:]\n        if name in self.functions", push, Bypass, Habit},
		"sudo":              {`"sudo": ("ughpCDRT", 0), `, ``, push, Bypass, Habit},
		"xargs":             {`"xargs": ("IEnLPsda", 0), `, ``, push, Bypass, Habit},
		"options of git":    {`while args and args[0] is not UNKNOWN and args[0].startswith("-"):`, `while False:`, push, Bypass, Habit},
		"capital R":         {`"rm": (), `, `"rm": ("r", "--recursive"), `, rm, Bypass, Habit},
		"cd":                {`name in ("cd", "pushd")`, `name in ("pushd",)`, rm, Bypass, Habit},
		"eval":              {`name == "eval"`, `name == "never"`, push, Bypass, Wrapping},
		"variables":         {`if values is None or split and`, `if True or`, push, "", 0}, // stricter, so nothing is found
		"quoted letters":    {`escapes(part.get("Value", "")) if part.get("Dollar") else part.get("Value", "")`, `part.get("Value", "")`, push, Bypass, Obfuscation},
		"text":              {`tool = payload["tool_input"]`, `tool = payload["tool_input"]; "git push --force" in tool["command"] and denied()`, push, FalseBlock, 0},
		"input executed":    {`tool = payload["tool_input"]`, `tool = payload["tool_input"]; os.system("true '" + tool["description"] + "'")`, push, Injection, 0},
	} {
		if !everyGuard() && !slices.Contains([]string{"capital R", "input executed"}, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			edit := func(s string) string {
				if !strings.Contains(s, tt.old) {
					t.Fatalf("the guard has no %q", tt.old)
				}
				s = strings.Replace(s, "def main():", "def denied():\n    raise Denied(\"text\")\n\n\ndef main():", 1)
				return strings.Replace(s, tt.old, tt.new, 1)
			}
			g := searchGuard(t, edit, Options{Most: tt.kind, Brief: tt.what != FalseBlock && tt.kind < Wrapping && name != "xargs", Seed: 1}, tt.command)
			if g.Unproved != "" {
				t.Fatal(g.Unproved)
			}
			found := tt.what == ""
			for _, f := range g.Findings {
				t.Logf("%s by %s: %q", f.What, f.Kind, f.Input.Text())
				found = found && tt.what != "" || f.What == tt.what && f.Kind == tt.kind
			}
			if !found {
				t.Errorf("not found: %+v", g)
			}
		})
	}
}
