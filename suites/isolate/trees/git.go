package trees

import (
	"os"
	"path/filepath"
	"strings"

	"hookwatch/suites/disk"
)

// GitTop is the top of the git work tree that dir lies in: hooks ask git about
// all of it. Without one it is dir itself.
func GitTop(dir string) string {
	for d := dir; d != "/" && d != "."; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
	}
	return dir
}

// GitCommon is where a linked work tree or a submodule at top keeps its
// repository, "" when that is in top itself.
func GitCommon(top string) string {
	dir, ok := gitDir(top)
	if !ok {
		return ""
	}
	if b, err := readGit(filepath.Join(dir, "commondir")); err == nil {
		dir = absolute(dir, strings.TrimSpace(string(b)))
	}
	if dir = disk.Real(dir); !disk.IsDir(dir) || disk.Within(top, dir) {
		return ""
	}
	return dir
}

// gitDir is the directory that the file .git of a work tree names.
func gitDir(top string) (string, bool) {
	b, err := readGit(filepath.Join(top, ".git"))
	if err != nil {
		return "", false
	}
	named, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir:")
	return absolute(top, strings.TrimSpace(named)), ok
}

// gitAtMost bounds what is read of a repository, in bytes: it may be a clone's.
const gitAtMost = 1 << 20

// readGit reads a file of a repository, and waits for none that is a pipe.
func readGit(file string) ([]byte, error) { return disk.Reader{}.ReadFile(file, gitAtMost) }

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
