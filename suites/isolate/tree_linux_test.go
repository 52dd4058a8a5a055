package isolate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCopyBound: a copy ends where it would take up more than it may, and holes
// do not count.
func TestCopyBound(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"a/b": strings.Repeat("x", 100_000), "c": strings.Repeat("y", 100_000), "sparse": ""})
	if err := os.Truncate(filepath.Join(dir, "sparse"), 1<<40); err != nil {
		t.Fatal(err)
	}
	for bound, want := range map[int64]error{0: nil, 1 << 20: nil, 150_000: errBound} {
		c := treeCopy{bound: bound}
		if err := c.tree(dir, filepath.Join(t.TempDir(), "copy")); !errors.Is(err, want) {
			t.Errorf("bound %d: %v, want %v", bound, err, want)
		}
	}
}

func TestTooMuch(t *testing.T) {
	t.Parallel()
	files := map[string]int64{"a": 5, "b": 10, "c": 3, "d": 10}
	for bound, want := range map[int64]string{0: "", 28: "", 27: "b", 18: "b", 17: "b d", 1: "a b c d"} {
		var out []string
		for _, name := range []string{"a", "b", "c", "d"} {
			if tooMuch(files, bound)[name] {
				out = append(out, name)
			}
		}
		if got := strings.Join(out, " "); got != want {
			t.Errorf("bound %d leaves out %q, want %q", bound, got, want)
		}
	}
}

// TestRemoveTree: no right that a case took away keeps its directory, and no link
// in it leads anywhere.
func TestRemoveTree(t *testing.T) {
	t.Parallel()
	outside := tree(t, map[string]string{"dir/file": ""})
	dir := tree(t, map[string]string{"case/a/b/c/file": "", "case/d/file": ""})
	top := filepath.Join(dir, "case")
	for _, err := range []error{
		os.Chmod(filepath.Join(outside, "dir"), 0o555),
		os.Symlink(filepath.Join(outside, "dir"), filepath.Join(top, "a/link")),
		os.Symlink(filepath.Join(outside, "dir"), filepath.Join(top, "a/b/link")),
		os.Chmod(filepath.Join(top, "a/b/c"), 0), os.Chmod(filepath.Join(top, "a/b"), 0o100), os.Chmod(filepath.Join(top, "a"), 0o400), os.Chmod(top, 0),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	unlock(root, "case") // which root, who may do everything, would not get to
	if fi, err := os.Stat(filepath.Join(top, "a/b/c")); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", fi, err)
	}
	if err := RemoveTree(top); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(top); !os.IsNotExist(err) {
		t.Errorf("it is there: %v", err)
	}
	if fi, err := os.Stat(filepath.Join(outside, "dir")); err != nil || fi.Mode().Perm() != 0o555 {
		t.Errorf("the directory that links lead to: %v, %v", fi, err)
	}
	if _, err := os.Stat(filepath.Join(outside, "dir/file")); err != nil {
		t.Error(err)
	}
}
