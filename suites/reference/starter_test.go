package reference

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// each runs a test on every starter.
func each(t *testing.T, test func(t *testing.T, s Starter)) {
	t.Helper()
	for _, s := range Starters() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

// TestStarters checks that every folder next to this file is a starter, and that names are
// unique.
func TestStarters(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
		}
	}
	if diff := cmp.Diff(folders, Names()); diff != "" {
		t.Errorf("list each folder in Starters, by name (-folder +starter):\n%s", diff)
	}
	for _, s := range Starters() {
		if found, ok := Find(s.Name); !ok || found.Name != s.Name || s.About == "" {
			t.Errorf("%s: found %t %q, about %q", s.Name, ok, found.Name, s.About)
		}
	}
	if _, ok := Find("nobody"); ok {
		t.Error("found a starter of no name")
	}
}

// tracked returns the files of the starter's folder that belong in a repository: all except
// results of runs.
func tracked(t *testing.T, root string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(filepath.ToSlash(name), root+"/")
		if entry.IsDir() {
			if rel == ".claude/tests/hooks/results" {
				return fs.SkipDir
			}
			return nil
		}
		names = append(names, rel)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func paths(files []File) []string {
	var names []string
	for _, f := range files {
		names = append(names, f.Path)
	}
	return names
}

func TestFilesAreThoseOfTheFolder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s Starter) {
		got, want := paths(s.Files()), tracked(t, s.Name)
		if !slices.IsSorted(got) {
			t.Errorf("not in order: %v", got)
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("embedded files differ from the folder; mend the list in %s.go (-folder +embedded):\n%s", s.Name, diff)
		}
	})
}

func TestFilesMatchTheFolder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s Starter) {
		for _, f := range s.Files() {
			isOnDisk(t, s.Name, f)
		}
	})
}

// isOnDisk checks a file's content and permission bits below root.
func isOnDisk(t *testing.T, root string, f File) {
	t.Helper()
	name := filepath.Join(root, filepath.FromSlash(f.Path))
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(content, f.Content) {
		t.Errorf("%s: content differs", f.Path)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode()&0o100 != f.Mode&0o100 {
		t.Errorf("%s: mode %v, on disk %v", f.Path, f.Mode, info.Mode())
	}
}

func TestFilesCannotBeChanged(t *testing.T) {
	t.Parallel()
	Linters.Files()[0].Content[0] ^= 1
	isOnDisk(t, Linters.Name, Linters.Files()[0])
}

func TestExtract(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s Starter) {
		dir := filepath.Join(t.TempDir(), "new", "project")
		written, err := s.Extract(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(paths(s.Files()), written); diff != "" {
			t.Errorf("written (-want +got):\n%s", diff)
		}
		for _, f := range s.Files() {
			isOnDisk(t, dir, f)
		}
	})
}

func TestExtractOverwritesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine := []string{"README.md", ".claude/settings.json"}
	for _, name := range mine {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), "mine")
	}
	written, err := Linters.Extract(dir)
	if !errors.Is(err, fs.ErrExist) {
		t.Fatalf("error %v, want one that is fs.ErrExist", err)
	}
	for _, name := range mine {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%v does not name %s", err, name)
		}
		if content, _ := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); string(content) != "mine" {
			t.Errorf("%s is now %q", name, content)
		}
	}
	if len(written) != 0 {
		t.Errorf("written %v", written)
	}
	if _, err := os.Lstat(filepath.Join(dir, "docs")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("docs: %v, want nothing there", err)
	}
}

func TestExtractFindsTheWayBlocked(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege there")
	}
	tests := map[string]func(dir, outside string) error{
		"file for a directory": func(dir, _ string) error {
			return os.WriteFile(filepath.Join(dir, ".claude"), []byte("mine"), 0o644)
		},
		"link out of the directory": func(dir, outside string) error {
			return os.Symlink(outside, filepath.Join(dir, ".claude"))
		},
		"dangling link for a file": func(dir, outside string) error {
			return os.Symlink(filepath.Join(outside, "gone"), filepath.Join(dir, "README.md"))
		},
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, outside := t.TempDir(), t.TempDir()
			if err := prepare(dir, outside); err != nil {
				t.Fatal(err)
			}
			written, err := Linters.Extract(dir)
			if err == nil || len(written) != 0 {
				t.Errorf("written %v, error %v, want nothing and an error", written, err)
			}
			if left, _ := os.ReadDir(outside); len(left) != 0 {
				t.Errorf("wrote outside: %v", left)
			}
			if got, _ := os.ReadDir(dir); len(got) != 1 {
				t.Errorf("directory holds %v, want only what was there", got)
			}
		})
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
