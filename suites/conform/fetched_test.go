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
