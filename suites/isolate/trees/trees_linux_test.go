package trees

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/suites/disk"
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
		c := Copier{bound: bound}
		if err := c.Tree(dir, filepath.Join(t.TempDir(), "copy")); !errors.Is(err, want) {
			t.Errorf("bound %d: %v, want %v", bound, err, want)
		}
	}
}

// TestRemove: no right that a case took away keeps its directory, and no link
// in it leads anywhere.
func TestRemove(t *testing.T) {
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
	if err := Remove(top); err != nil {
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

// tree makes files in a new directory, free of symbolic links.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := disk.Real(t.TempDir())
	for name, content := range files {
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
