package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hookwatch/suites/disk"
)

// GitTop returns the top of the git work tree that contains dir, because hooks ask git about all of
// it, or dir itself without one. A repository above dir counts only if it belongs to the user, as
// git requires, and is not in a directory that all users may write to, because others could put one
// there to expose more files to cases.
func GitTop(dir string) string {
	if hasGit(dir) {
		return dir
	}
	for d := filepath.Dir(dir); d != filepath.Dir(d); d = filepath.Dir(d) {
		fi, err := os.Stat(d)
		if _, known := ownerOf(d); err != nil || known && fi.Mode().Perm()&0o002 != 0 {
			return dir
		}
		if hasGit(d) {
			if !trusted(d, dir) || !trusted(filepath.Join(d, ".git"), dir) {
				return dir
			}
			return d
		}
	}
	return dir
}

func hasGit(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// trusted reports whether a path belongs to the user or, for root, to the owner of the project.
func trusted(path, project string) bool {
	owner, known := ownerOf(path)
	if !known || owner == os.Geteuid() {
		return true
	}
	of, _ := ownerOf(project)
	return os.Geteuid() == 0 && owner == of
}

// Repository returns the git directory of the work tree at top and the repository that it belongs to,
// which differ for a linked work tree. The error describes a file .git that could name any
// directory.
func Repository(top string) (dir, common string, err error) {
	own := filepath.Join(top, ".git")
	if fi, err := os.Lstat(own); err != nil {
		return "", "", errors.New("there is no git repository around " + top)
	} else if fi.IsDir() {
		return own, own, nil
	}
	if common, err = gitCommon(top); err == nil && common == "" {
		err = errors.New(own + " names no repository of its own")
	}
	dir, _ = gitDir(top)
	return disk.Real(dir), common, err
}

// gitCommon returns the repository of a linked work tree or a submodule at top, "" if it is in top
// itself. The file .git may come with an archive and name any directory, so a repository counts
// only if it belongs to the user and names top in turn, as git's own do. The error describes one
// that does not.
func gitCommon(top string) (string, error) {
	dir, ok := gitDir(top)
	if !ok {
		return "", nil
	}
	if dir = disk.Real(dir); !disk.IsDir(dir) || disk.Within(top, dir) {
		return "", nil
	}
	common, err := repositoryOf(dir, top)
	if err != nil {
		return "", fmt.Errorf("%s names %s as its repository, which %w: cases may not write to it", filepath.Join(top, ".git"), dir, err)
	}
	if disk.Within(top, common) {
		return "", nil
	}
	return common, nil
}

// repositoryOf returns the repository to which dir belongs, the git directory of the work tree at
// top.
func repositoryOf(dir, top string) (string, error) {
	common := dir
	if b, err := readGit(filepath.Join(dir, "commondir")); err == nil {
		common = disk.Real(absolutePath(dir, strings.TrimSpace(string(b))))
		if !disk.Within(filepath.Join(common, "worktrees"), dir) {
			return "", errors.New("is no work tree of " + common)
		}
	}
	for _, d := range []string{"objects", "refs"} {
		if !disk.IsDir(filepath.Join(common, d)) {
			return "", errors.New("is no repository")
		}
	}
	for _, path := range []string{dir, common} {
		if !trusted(path, top) {
			return "", errors.New("belongs to another user")
		}
	}
	if named, ok := workTreeOf(dir); !ok || disk.Real(named) != top {
		return "", errors.New("does not name " + top + " as its work tree ('git worktree repair' mends that)")
	}
	return common, nil
}

// workTreeOf returns the work tree that a git directory names: a linked one in the file gitdir,
// that of a submodule in the configuration.
func workTreeOf(dir string) (string, bool) {
	if b, err := readGit(filepath.Join(dir, "gitdir")); err == nil {
		return filepath.Dir(absolutePath(dir, strings.TrimSpace(string(b)))), true
	}
	b, err := readGit(filepath.Join(dir, "config"))
	if err != nil {
		return "", false
	}
	m := workTreeLine().FindSubmatch(b)
	if m == nil {
		return "", false
	}
	return absolutePath(dir, strings.Trim(strings.TrimSpace(string(m[1])), `"`)), true
}

// gitDir returns the directory that the file .git of a work tree names.
func gitDir(top string) (string, bool) {
	b, err := readGit(filepath.Join(top, ".git"))
	if err != nil {
		return "", false
	}
	named, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir:")
	return absolutePath(top, strings.TrimSpace(named)), ok
}

// gitAtMost bounds the size of a repository's file that is read, in bytes, because it may come from
// a clone.
const gitAtMost = 1 << 20

// readGit reads a file of a repository without blocking on a pipe.
func readGit(file string) ([]byte, error) { return disk.Reader{}.ReadFile(file, gitAtMost) }

func absolutePath(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
