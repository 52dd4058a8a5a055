//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCopyTooDeep checks that a copy skips paths that are too long, and continues.
func TestCopyTooDeep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "z"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
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
	refused := 0
	for _, c := range []copier{{}, {Refuse: func(string, error) error { refused++; return nil }}} {
		to := filepath.Join(t.TempDir(), "copy")
		if err := c.Tree(dir, to); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(to, "z")); err != nil {
			t.Error(err)
		}
		if err := remove(to); err != nil {
			t.Error(err)
		}
	}
	if refused != 1 {
		t.Errorf("%d directories were refused, want 1", refused)
	}
}
