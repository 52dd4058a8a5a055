package isolate

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
// in, below dir, but for the paths to skip, and returns the copy's root. What git
// writes goes into the copy; its objects, which never change, stay where they
// are. A repository that lies elsewhere, as that of a linked work tree does, is
// copied too. One bound holds for the work tree and the repository together,
// because a clone decides how large they are and what its .git file names.
func CopyProject(root, dir string, skip []string) (string, error) {
	left, _, files := Free(dir)
	bounds := Bounds{Bytes: int64(left / 2), Entries: mostEntries}
	if half := int(min(files/2, mostEntries)); files > 0 { // some file systems count no files
		bounds.Entries = max(half, 1)
	}
	return copyProject(root, dir, skip, bounds)
}

// mostEntries bounds the files and directories of one copy. A project with all of
// its dependencies installed has a few hundred thousand.
const mostEntries = 1_000_000

func copyProject(root, dir string, skip []string, bounds Bounds) (string, error) {
	root = disk.Real(root)
	top, to := GitTop(root), filepath.Join(dir, "copy")
	objects := filepath.Join(top, ".git", "objects")
	c := Copier{Bounds: bounds, Skip: func(rel string) bool {
		path := filepath.Join(top, rel)
		return path == objects || slices.Contains(skip, path)
	}}
	if err := c.Tree(top, to); err != nil {
		return "", tooLarge(err, top, dir, bounds)
	}
	if disk.IsDir(objects) {
		if err := borrow(objects, filepath.Join(to, ".git", "objects")); err != nil {
			return "", err
		}
	}
	copied := filepath.Join(to, strings.TrimPrefix(root, top))
	c.Skip = func(rel string) bool { return rel == "objects" }
	return copied, detach(&c, top, to, dir)
}

// tooLarge names what does not fit into a copy, and the remedy.
func tooLarge(err error, what, dir string, bounds Bounds) error {
	switch {
	case errors.Is(err, errBytes):
		return fmt.Errorf("%s holds more than %d MB, half of the free space in %s: make room there, or set TMPDIR", what, bounds.Bytes/1_000_000, dir)
	case errors.Is(err, errEntries):
		return fmt.Errorf("%s holds more than the %d files and directories that a copy may have", what, bounds.Entries)
	default:
		return err
	}
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
			others += absolutePath(objects, path) + "\n"
		}
	}
	return os.WriteFile(filepath.Join(to, "info", "alternates"), []byte(others), 0o644)
}

// detach makes the copy of a linked work tree or a submodule independent of the
// repository that it belongs to: c, which has copied the work tree and counts on,
// copies that into dir.
func detach(c *Copier, top, copied, dir string) error {
	common, _ := GitCommon(top) // one that is not the work tree's own stays where it is
	if common == "" {
		return nil
	}
	objects, aside := filepath.Join(common, "objects"), filepath.Join(dir, "repository")
	if err := c.Tree(common, aside); err != nil {
		return tooLarge(err, top+" and its repository "+common, dir, c.Bounds)
	}
	if err := borrow(objects, filepath.Join(aside, "objects")); err != nil {
		return err
	}
	gitdir, _ := gitDir(top)
	own := filepath.Join(aside, strings.TrimPrefix(disk.Real(gitdir), common))
	if err := moveWorkTree(filepath.Join(aside, "config"), copied); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(copied, ".git"), []byte("gitdir: "+own+"\n"), 0o644)
}
