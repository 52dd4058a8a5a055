package conform

import (
	"os"
	"path/filepath"
	"testing"

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
		q := &Inquiry{tree: Tree{Root: "/p"}, hook: discover.Hook{Command: "node dist/cli.js"}}
		text := "Error: Cannot find module './session'\nRequire stack:\n- " + by + "\n"
		q.gone(suites.Result{Exit: 1, Stderr: []byte(text)}, "./session", client.MissingModule)
		if len(q.findings) != 1 || q.findings[0].What != want || !q.broken {
			t.Errorf("%s: %+v", by, q.findings)
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
		q := &Inquiry{tree: Tree{Root: t.TempDir()}, hook: discover.Hook{Event: "Stop", Command: "node $HOME/.claude/hooks/dist/x.mjs"}}
		text := "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '" + name + "' imported from " + hooks + "/dist/x.mjs\n    at x"
		q.gone(suites.Result{Exit: 1, Stderr: []byte(text)}, name, client.MissingModule)
		if len(q.findings) != 1 || q.findings[0].Rule != want {
			t.Errorf("%s: %+v", name, q.findings)
		}
	}
}
