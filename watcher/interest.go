package watcher

import (
	"fmt"
	"path/filepath"
	"strings"
)

// An Interest says which files matter. No path need exist.
type Interest struct {
	Files []string // absolute paths of files
	Dirs  []string // absolute paths of directories: every regular file below

	// Ignore, if set, tells what is neither reported nor descended into. It is
	// asked for every path on the way down, from the watcher's goroutine, and
	// must answer alike each time.
	Ignore func(path string, isDir bool) bool

	// Unread, if set, tells of a file's path without symbolic links that its content
	// is not to be read: it changes when its size or time does. It is asked from the
	// watcher's goroutine.
	Unread func(real string) bool
}

// maxLinks bounds the symbolic links to directories that are followed one below
// the other inside a directory of interest. Together with the refusal to follow
// a link upwards it keeps directories that link to one another finite.
const maxLinks = 3

// A scope is an interest made ready to be asked.
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
		if path != dir && within(path, dir) && s.reaches(dir, path) {
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

// within reports whether path is dir or below it; both are clean.
func within(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || dir[len(dir)-1] == filepath.Separator)
}
