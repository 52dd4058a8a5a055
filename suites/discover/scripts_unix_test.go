//go:build unix

package discover

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites/disk"
)

// chain creates nested directories, 6,000 characters deep.
func chain(t *testing.T, dir string) {
	t.Helper()
	at, err := os.OpenRoot(dir)
	for name := strings.Repeat("d", 200); err == nil && len(at.Name()) < 6000; {
		var below *os.Root
		if err = at.Mkdir(name, 0o755); err == nil {
			below, err = at.OpenRoot(name)
		}
		_ = at.Close()
		at = below
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = at.Close()
}

// TestScriptsTooDeep checks that a chain of directories whose path is too long is skipped, with
// a note of bounded length.
func TestScriptsTooDeep(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	hooks := filepath.Join(root, "hooks")
	if err := os.Mkdir(hooks, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(hooks, "z.sh"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	chain(t, hooks)
	found, notes, err := Scripts(disk.Reader{}, root, []string{"hooks"})
	if err != nil || !slices.Equal(found, []string{"hooks/z.sh"}) || len(notes) != 1 || len(notes[0]) > 300 || !strings.Contains(notes[0], "too long") {
		t.Errorf("found %q, %q, %v", found, notes, err)
	}
}
