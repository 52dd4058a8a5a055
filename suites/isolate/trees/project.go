package trees

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
)

// CopyProject copies the project at root, with the whole work tree that it is
// in, below dir, but for the paths to skip, and gives the copy's root. What git
// writes goes into the copy; its objects, which never change, stay where they
// are.
func CopyProject(root, dir string, skip []string) (string, error) {
	root = disk.Real(root)
	top, to := GitTop(root), filepath.Join(dir, "copy")
	objects := filepath.Join(top, ".git", "objects")
	skipped := func(rel string) bool {
		path := filepath.Join(top, rel)
		return path == objects || slices.Contains(skip, path)
	}
	left, _, _ := Free(dir)
	c := Copier{Skip: skipped, bound: int64(left / 2)}
	if err := c.Tree(top, to); errors.Is(err, errBound) {
		return "", fmt.Errorf("%s holds more than %d MB, half of what is free in %s: make room there, or set TMPDIR", top, c.bound/1_000_000, dir)
	} else if err != nil {
		return "", err
	}
	if disk.IsDir(objects) {
		if err := borrow(objects, filepath.Join(to, ".git", "objects")); err != nil {
			return "", err
		}
	}
	copied := filepath.Join(to, strings.TrimPrefix(root, top))
	return copied, detach(top, to, filepath.Join(dir, "repository"))
}

// moveWorkTree makes the repository of a submodule, which names its work tree,
// name another one.
func moveWorkTree(config, to string) error {
	b, err := readGit(config)
	if err != nil {
		return err
	}
	moved := workTreeLine().ReplaceAllLiteral(b, []byte("\tworktree = "+strconv.Quote(to)))
	if bytes.Equal(moved, b) {
		return nil
	}
	return os.WriteFile(config, moved, 0o644)
}

var workTreeLine = pattern.Lazy(`(?m)^\s*worktree\s*=(.*)$`)

// borrow makes a store of objects that reads another one.
func borrow(objects, to string) error {
	if err := os.MkdirAll(filepath.Join(to, "info"), 0o755); err != nil {
		return err
	}
	others := objects + "\n"
	b, err := readGit(filepath.Join(objects, "info", "alternates"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for line := range strings.Lines(string(b)) {
		if path := strings.TrimSpace(line); path != "" {
			others += absolute(objects, path) + "\n"
		}
	}
	return os.WriteFile(filepath.Join(to, "info", "alternates"), []byte(others), 0o644)
}

// detach makes the copy of a linked work tree or a submodule independent of the
// repository that it belongs to, by a copy of that at aside.
func detach(top, copied, aside string) error {
	common, _ := GitCommon(top) // one that is not the work tree's own stays where it is
	if common == "" {
		return nil
	}
	objects := filepath.Join(common, "objects")
	if err := Copy(common, aside, func(rel string) bool { return rel == "objects" }); err != nil {
		return err
	}
	if err := borrow(objects, filepath.Join(aside, "objects")); err != nil {
		return err
	}
	dir, _ := gitDir(top)
	own := filepath.Join(aside, strings.TrimPrefix(disk.Real(dir), common))
	if err := moveWorkTree(filepath.Join(aside, "config"), copied); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(copied, ".git"), []byte("gitdir: "+own+"\n"), 0o644)
}
