package watcher

import (
	"fmt"
	"path/filepath"
	"strings"
)

// An Interest describes the files to watch. Paths need not exist.
type Interest struct {
	Files []string // absolute paths of files
	Dirs  []string // absolute paths of directories: every regular file below them

	// Ignore, if set, reports whether a path is neither reported nor searched. It is called
	// for every path on the way down, from the watcher's goroutine, and must return the same
	// result each time.
	Ignore func(path string, isDir bool) bool

	// Unread, if set, reports whether the content of a file, given by its path without
	// symbolic links, must not be read. Such a file counts as changed if its size or time
	// changes. It is called from the watcher's goroutine.
	Unread func(real string) bool
}

// maxLinks is the maximum number of symbolic links to directories that are followed one
// below the other inside a directory of interest. Because links to parent directories are
// not followed either, the search is finite even if directories link to one another.
const maxLinks = 3

// A scope is an interest prepared for lookups.
type scope struct {
	files  map[string]bool
	dirs   map[string]bool
	ignore func(path string, isDir bool) bool
	unread func(real string) bool
}

func newScope(i Interest) (scope, error) {
	s := scope{files: map[string]bool{}, dirs: map[string]bool{}, ignore: i.Ignore, unread: i.Unread}
	if s.ignore == nil {
		s.ignore = func(string, bool) bool { return false }
	}
	if s.unread == nil {
		s.unread = func(string) bool { return false }
	}
	if err := addPaths(s.files, i.Files); err != nil {
		return scope{}, err
	}
	return s, addPaths(s.dirs, i.Dirs)
}

func addPaths(set map[string]bool, paths []string) error {
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			return fmt.Errorf("watch %q: the path is not absolute", p)
		}
		set[filepath.Clean(p)] = true
	}
	return nil
}

// covers reports whether a file at path is of interest.
func (s scope) covers(path string) bool {
	if s.files == nil || s.ignore(path, false) {
		return false
	}
	if s.files[path] {
		return true
	}
	for dir := range s.dirs {
		if path != dir && isWithin(path, dir) && s.reaches(dir, path) {
			return true
		}
	}
	return false
}

// reaches reports whether no directory from dir down to path is ignored.
func (s scope) reaches(dir, path string) bool {
	for up := filepath.Dir(path); ; up = filepath.Dir(up) {
		if s.ignore(up, true) {
			return false
		}
		if up == dir {
			return true
		}
	}
}

// isWithin reports whether path is dir or below it; both must be clean.
func isWithin(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || dir[len(dir)-1] == filepath.Separator)
}
