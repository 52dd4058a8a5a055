package firstsuite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/suites/disk"
)

// TestWriteNew never writes over anything, nor through a link.
func TestWriteNew(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	root, outside := filepath.Join(top, "clone"), filepath.Join(top, "outside")
	for _, dir := range []string{root, outside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeNew(root, "a/b/c.yaml", []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := writeNew(root, "a/b/c.yaml", []byte("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second time: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(root, "a/b/c.yaml")); err != nil || string(text) != "one" {
		t.Errorf("%q, %v", text, err)
	}
	for link, name := range map[string]string{
		".claude": ".claude/tests/hooks/suites/first.yaml", "a/tests": "a/tests/first.yaml", ".hookwatch.yaml": ".hookwatch.yaml",
	} {
		if err := os.Symlink(filepath.Join(outside, "absent"), filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
		if err := writeNew(root, name, []byte("x")); !disk.IsRefused(err) || !strings.Contains(err.Error(), filepath.Join(root, link)) {
			t.Errorf("%s is a link: %v", link, err)
		}
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Errorf("outside: %v, %v", entries, err)
	}
}
