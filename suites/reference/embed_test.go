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

// tracked lists the files of the project's folder as a repository would keep
// them: all but the results of runs.
func tracked(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(filepath.ToSlash(name), root+"/")
		if entry.IsDir() {
			if rel == ".claude/tests" {
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
	got, want := paths(Files()), tracked(t)
	if !slices.IsSorted(got) {
		t.Errorf("not in order: %v", got)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("embedded files differ from the folder; mend the list in embed.go (-folder +embedded):\n%s", diff)
	}
}

func TestFilesMatchTheFolder(t *testing.T) {
	t.Parallel()
	for _, f := range Files() {
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
			t.Errorf("%s: mode %v, folder has %v", f.Path, f.Mode, info.Mode())
		}
	}
}

func TestFilesCannotBeChanged(t *testing.T) {
	t.Parallel()
	Files()[0].Content[0] ^= 1
	if a, b := Files()[0].Content[0], embeddedByte(t); a != b {
		t.Errorf("first byte %q, want %q", a, b)
	}
}

func embeddedByte(t *testing.T) byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(Files()[0].Path)))
	if err != nil {
		t.Fatal(err)
	}
	return content[0]
}

func TestExtract(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "project")
	written, err := Extract(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(paths(Files()), written); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	for _, f := range Files() {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
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
			t.Errorf("%s: mode %v, want %v", f.Path, info.Mode(), f.Mode)
		}
	}
}

func TestExtractOverwritesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine := []string{"README.md", ".claude/settings.json"}
	for _, name := range mine {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), "mine")
	}
	written, err := Extract(dir)
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
			written, err := Extract(dir)
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
