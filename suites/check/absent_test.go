package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

// TestUnloaded checks that a file which a script of the tree loads is reported with the script.
// Files elsewhere may only be absent on this machine.
func TestUnloaded(t *testing.T) {
	for by, want := range map[string]string{
		"/p/dist/context.js":    "./session does not exist, which dist/context.js loads",
		"/usr/lib/x/context.js": "session does not exist",
	} {
		q := &judgement{of: subject{tree: Tree{Root: "/p"}, hook: discover.Hook{Command: "node dist/cli.js"}}}
		text := "Error: Cannot find module './session'\nRequire stack:\n- " + by + "\n"
		q.judgeAbsent(&results{}, suites.Result{Exit: 1, Stderr: []byte(text)}, "./session", client.MissingModule)
		if d := cmp.Diff([]string{want}, whats(q.findings)); d != "" || !q.ends {
			t.Errorf("%s: ends %v, findings (-want +got):\n%s", by, q.ends, d)
		}
	}
}

// TestDeclared checks that a manifest of the user's own hooks also declares a package, although it
// is outside of the tree.
func TestDeclared(t *testing.T) {
	home := t.TempDir()
	hooks := filepath.Join(home, ".claude", "hooks")
	if err := os.MkdirAll(hooks, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(hooks, "package.json"), []byte(`{"dependencies": {"better-sqlite3": "11"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"better-sqlite3": "absent-program", "zod": "absent-package"} {
		q := &judgement{of: subject{tree: Tree{Root: t.TempDir()}, hook: discover.Hook{Event: "Stop", Command: "node $HOME/.claude/hooks/dist/x.mjs"}}}
		text := "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '" + name + "' imported from " + hooks + "/dist/x.mjs\n    at x"
		q.judgeAbsent(&results{}, suites.Result{Exit: 1, Stderr: []byte(text)}, name, client.MissingModule)
		if len(q.findings) != 1 || q.findings[0].Rule != want {
			t.Errorf("%s: %+v", name, q.findings)
		}
	}
}

// TestEndsOtherwise checks that a program counts as absent if, with it, the hook ends with another
// code or without the same words.
func TestEndsOtherwise(t *testing.T) {
	const said = "[12:00] warning: jq not found\nError 17: no"
	for name, tt := range map[string]struct {
		with suites.Result
		want bool
	}{
		"another code":            {suites.Result{Exit: 0, Stderr: []byte(said)}, true},
		"other words":             {suites.Result{Exit: 1, Stderr: []byte("write EPIPE")}, true},
		"the same last words":     {suites.Result{Exit: 1, Stderr: []byte("Error 18: no")}, false},
		"a time-out shows little": {suites.Result{Exit: 0, TimedOut: true}, false},
	} {
		if got := endsOtherwise(suites.Result{Exit: 1, Stderr: []byte(said)}, tt.with); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAbsentFor(t *testing.T) {
	text := "command -v gh || exit 1\nif which 'rg'; then :; fi\nspawnSync('which', ['bun'])\nexecFileSync(\"uvx\", [])\ncommand -v git\n"
	q := subject{text: text, tree: Tree{Installed: func(p string) bool { return p == "git" || p == "which" }}}
	got := q.absentFor(suites.Result{Exit: 1, Stderr: []byte("Error: Deno not found. Please install it")})
	if want := []string{"deno", "rg", "bun", "gh", "uvx"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFetched(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "node_modules", ".bin", "prettier"), 0o755); err != nil {
		t.Fatal(err)
	}
	tree := Tree{Root: root, Installed: func(program string) bool { return program == "tsc" }}
	for command, want := range map[string]string{
		"npx claude-flow@alpha hooks pre-edit": "claude-flow", "npx -y @scope/cli@latest x": "@scope/cli", "bunx some-tool": "some-tool",
		"npx prettier --check .": "", "npx tsc": "", "npx ./local": "", "[ -n x ] && npx claude-flow": "", "node x.js": "",
	} {
		if got := (subject{tree: tree, hook: discover.Hook{Command: command}}).packageToFetch(); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// TestPromptly checks that package managers do not retry in any probe, even if it sets variables of
// its own.
func TestPromptly(t *testing.T) {
	q := Inspect(Tree{Root: t.TempDir()}, discover.Hook{Type: "command", Event: "Stop", Command: "sleep 1; npm test"})
	probes := q.Next()
	if len(probes) == 0 {
		t.Fatal("no probe")
	}
	for _, p := range probes {
		if env := p.Case.Env; env["npm_config_offline"] != "true" || env["PYTHONPATH"] == "" {
			t.Errorf("%v", env)
		}
	}
}

// TestRefused checks that a problem of many documents is reported once.
func TestRefused(t *testing.T) {
	problem := func(file, what string) suites.Problem {
		return suites.Problem{At: suites.Position{File: file, Line: 1, Column: 1}, What: what}
	}
	got := findIn(Tree{Registered: discover.Registered{Ignored: []suites.Problem{
		problem("agents/a.md", "no event is called pre: its hooks never run"),
		problem("agents/a.md", "no event is called post: its hooks never run"),
		problem("agents/b.md", "no event is called pre: its hooks never run"),
		problem("agents/b.md", "an entry of Stop has no hooks list"),
		problem("settings.json", "no event is called pre: its hooks never run"),
	}}}, "entry-ignored")
	want := []struct {
		severity suites.Severity
		what     string
	}{
		{suites.Error, "no event is called pre: its hooks never run"},
		{suites.Warning, "no event is called pre, post: their hooks never run (and in 1 more documents)"},
		{suites.Info, "an entry of Stop has no hooks list"},
	}
	if len(got) != len(want) {
		t.Fatalf("%d findings: %+v", len(got), got)
	}
	for i, w := range want {
		if got[i].Severity != w.severity || got[i].What != w.what {
			t.Errorf("%s %q, want %s %q", got[i].Severity, got[i].What, w.severity, w.what)
		}
	}
}

// TestRefusedPlugin checks that the client reports dropped files of plugins, but not dropped
// settings.
func TestRefusedPlugin(t *testing.T) {
	for file, reported := range map[string]bool{"p/hooks/hooks.json": true, ".claude-plugin/plugin.json": true, ".claude/settings.json": false} {
		got := findIn(Tree{Registered: discover.Registered{Dropped: []suites.Problem{{At: suites.Position{File: file}}}}}, "settings-dropped")
		if len(got) != 1 || strings.Contains(got[0].Effect, "reports only among") != reported {
			t.Errorf("%s: %+v", file, got)
		}
	}
}

// TestPerFile checks that timeouts in milliseconds are one finding of a file.
func TestPerFile(t *testing.T) {
	at := func(file string, line int) suites.Position { return suites.Position{File: file, Line: line} }
	all := []Finding{
		FindingOf("long-timeout", "a", at("x", 1), "timeout 5000 is 1h23m20s"), FindingOf("long-timeout", "b", at("x", 9), "timeout 3000 is 50m0s"),
		FindingOf("long-timeout", "c", at("y", 1), "timeout 3000 is 50m0s"),
	}
	shareTexts(all)
	if got := MergeFindings(all); len(got) != 2 || len(got[0].Hooks) != 2 {
		t.Errorf("%+v", got)
	}
}
