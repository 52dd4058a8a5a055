package conform

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hookwatch/suites/disk"
)

// TestAgents checks that agents are those of the tree and of the plugin, each once, without those
// of a directory to which a link leads out of the tree.
func TestAgents(t *testing.T) {
	t.Parallel()
	root, outside := disk.Real(t.TempDir()), disk.Real(t.TempDir())
	for _, file := range []string{
		filepath.Join(root, ".claude/agents/reviewer.md"), filepath.Join(root, ".claude/agents/notes.txt"),
		filepath.Join(root, "plugin/agents/reviewer.md"), filepath.Join(root, "plugin/agents/tester.md"), filepath.Join(outside, "private.md"),
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(root, "agents")); err != nil {
		t.Fatal(err)
	}
	tree := Tree{Root: root, Reader: disk.Reader{Root: root}}
	if got := tree.agents(""); !slices.Equal(got, []string{"reviewer"}) {
		t.Errorf("without a plugin: %q", got)
	}
	if got := tree.agents(filepath.Join(root, "plugin")); !slices.Equal(got, []string{"reviewer", "tester"}) {
		t.Errorf("with a plugin: %q", got)
	}
}
