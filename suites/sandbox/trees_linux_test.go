package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/suites/disk"
)

// TestCopyBound checks that a copy ends when it would exceed its limits, and that holes do not
// count.
func TestCopyBound(t *testing.T) {
	t.Parallel()
	dir := entryTree(t, map[string]string{"a/b": strings.Repeat("x", 100_000), "c": strings.Repeat("y", 100_000), "sparse": ""})
	if err := os.Truncate(filepath.Join(dir, "sparse"), 1<<40); err != nil {
		t.Fatal(err)
	}
	for bounds, want := range map[Bounds]error{
		{}: nil, {Bytes: 1 << 20, Entries: 4}: nil, {Bytes: 150_000}: errBytes, {Entries: 3}: errEntries,
	} {
		c := copier{Bounds: bounds}
		if err := c.Tree(dir, filepath.Join(t.TempDir(), "copy")); !errors.Is(err, want) {
			t.Errorf("%+v: %v, want %v", bounds, err, want)
		}
	}
}

// TestCopyBoundOfRepository checks that the repository named in a work tree's .git file counts
// towards the limits of its copy, except for the objects, which are not copied.
func TestCopyBoundOfRepository(t *testing.T) {
	t.Parallel()
	dir := entryTree(t, map[string]string{
		"tree/hook.sh": "exit 0", "repository/HEAD": "ref: refs/heads/main", "repository/config": "[core]\n\tbare = false\n",
		"repository/refs/heads/main": "", "repository/worktrees/tree/HEAD": "ref: refs/heads/tree", "repository/worktrees/tree/commondir": "../..\n",
		"repository/objects/pack/p.pack": strings.Repeat("o", 500_000), "repository/lfs/large": strings.Repeat("l", 200_000),
	})
	top := filepath.Join(dir, "tree")
	own := filepath.Join(dir, "repository", "worktrees", "tree")
	for name, text := range map[string]string{filepath.Join(top, ".git"): "gitdir: " + own + "\n", filepath.Join(own, "gitdir"): filepath.Join(top, ".git") + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for bounds, want := range map[Bounds]string{
		{Bytes: 400_000, Entries: 20}: "", {Bytes: 100_000}: "its repository", {Entries: 8}: "its repository", {Entries: 1}: "tree holds more than the 1 files",
	} {
		_, err := copyBounded(top, t.TempDir(), nil, bounds)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", bounds, err, want)
		}
	}
}

// TestRemove checks that a directory is removed even if a case removed its permissions, and that no
// link in it is followed.
func TestRemove(t *testing.T) {
	t.Parallel()
	outside := entryTree(t, map[string]string{"dir/file": ""})
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(outside, "dir"), 0o700) }) // for its removal
	dir := entryTree(t, map[string]string{"case/a/b/c/file": "", "case/d/file": ""})
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
	unlock(root, "case") // root, who may do everything, would not reach this code
	if fi, err := os.Stat(filepath.Join(top, "a/b/c")); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", fi, err)
	}
	if err := remove(top); err != nil {
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

// entryTree creates files in a new directory without symbolic links in its path.
func entryTree(t *testing.T, files map[string]string) string {
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

// TestGoneMeanwhile checks that a file that is removed between listing and copying is skipped.
func TestGoneMeanwhile(t *testing.T) {
	t.Parallel()
	source, target := filepath.Join(t.TempDir(), "f"), filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(source, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(source)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(source); err != nil {
		t.Fatal(err)
	}
	if err := new(copier).File(source, target, fi); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a copy was made, %v", err)
	}
}
