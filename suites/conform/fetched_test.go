package conform

import (
	"os"
	"path/filepath"
	"testing"

	"hookwatch/suites/discover"
)

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
		if got := (&Inquiry{tree: tree, hook: discover.Hook{Command: command}}).fetched(); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// TestPromptly checks that package managers do not retry in any probe, even if it sets variables of
// its own.
func TestPromptly(t *testing.T) {
	q := Ask(Tree{Root: t.TempDir()}, discover.Hook{Type: "command", Event: "Stop", Command: "sleep 1; npm test"})
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
