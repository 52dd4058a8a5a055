package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// changing lists the functions of package os that change files.
var changing = []string{
	"Chmod", "Chown", "Chtimes", "CopyFS", "Create", "CreateTemp", "Lchown", "Link", "Mkdir", "MkdirAll", "MkdirTemp", "OpenFile", "OpenRoot",
	"Remove", "RemoveAll", "Rename", "Symlink", "Truncate", "WriteFile",
}

// doors are the files and directories that may, and why. Everything else goes
// through suites/disk: a project that was cloned puts links where others write.
var doors = map[string]string{
	"suites/disk/":                      "the door itself",
	"suites/sandbox/":                   "sandboxes of cases, kept ones too, in directories that are the user's alone",
	"suites/run/":                       "search paths, next to the sandboxes",
	"suites/process/":                   "the null device and what supervisors mount",
	"cmd/internal/session/equipment.go": "stand-ins for tools, in that directory",
	"suites/record/owner.go":            "the user's state folder, where no clone puts anything",
	"cmd/internal/cli/coverage.go":      "a file that the user names",
	"cmd/internal/cli/format_github.go": "the summary file that GitHub names",
	"cmd/internal/cli/manual.go":        "manual pages, in a directory that the user names",
	"cmd/internal/revision/git.go":      "an empty repository of its own in the temporary directory",
	"cmd/internal/revision/revision.go": "that repository, and the files of a commit, next to the sandboxes",
	"watcher/notifier.go":               "opens for reading, without waiting for a pipe",
	"cmd/mutatetest/":                   "for development alone: edits a copy of a project",
	"cmd/differtest/":                   "for development alone: writes random projects to the temporary directory",
}

// TestDoors reports calls of os functions that change the disk outside of doors.
func TestDoors(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		calls, err := changes(path)
		for door := range doors {
			if name := filepath.ToSlash(rel); len(calls) > 0 && (name == door || strings.HasSuffix(door, "/") && strings.HasPrefix(name, door)) {
				used[door] = true
				return err
			}
		}
		for _, call := range calls {
			t.Errorf("%s: write, rename and delete through suites/disk", call)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for door := range doors {
		if !used[door] {
			t.Errorf("%s changes nothing: take it off the list", door)
		}
	}
}

// changes lists where a file uses a function that changes a disk.
func changes(path string) (calls []string, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "os" && slices.Contains(changing, sel.Sel.Name) {
			calls = append(calls, set.Position(sel.Pos()).String()+": os."+sel.Sel.Name)
		}
		return true
	})
	return calls, nil
}
