package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPath checks that a path without a tool has all other programs, and that two such paths share
// directories.
func TestPath(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	bin, farms := filepath.Join(top, "bin"), filepath.Join(top, "farms")
	tools := []string{"awk", "bash", "cat", "date", "env", "find", "git", "jq", "sed", "[", "x y"}
	for _, dir := range []string{bin, farms} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range tools {
		if err := os.WriteFile(filepath.Join(bin, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(top, "linked")
	if err := os.Symlink(bin, link); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	search := strings.Join([]string{bin, top, link}, string(filepath.ListSeparator))
	f := PathDirs{Dir: farms}
	for _, without := range [][]string{{"jq"}, {"git"}, {"jq", "git"}} {
		path, err := f.Path(search, without)
		if err != nil {
			t.Fatal(err)
		}
		dirs := filepath.SplitList(path)
		if len(dirs) != parts+1 || !slices.Contains(dirs, top) {
			t.Errorf("without %v: %v: want %d parts, and %s", without, dirs, parts, top)
		}
		for _, name := range tools {
			found := slices.ContainsFunc(dirs, func(d string) bool { _, err := os.Stat(filepath.Join(d, name)); return err == nil })
			if found == slices.Contains(without, name) {
				t.Errorf("without %v: %s is found: %v", without, name, found)
			}
		}
	}
	made, err := os.ReadDir(farms)
	if err != nil || len(made) > 2*parts {
		t.Errorf("%d directories (%v) for three farms of %d", len(made), err, parts)
	}
}

// TestPathOfAll checks that a path does not change if no tool is removed.
func TestPathOfAll(t *testing.T) {
	t.Parallel()
	f := PathDirs{Dir: t.TempDir()}
	for _, tools := range [][]string{nil, {"no-such-tool"}} {
		if path, err := f.Path("/nowhere", tools); err != nil || path != "/nowhere" {
			t.Errorf("%v: %q, %v", tools, path, err)
		}
	}
}
