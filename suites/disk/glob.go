package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Limits of one search. They are far above the size of a project, so that "/**/*.md" or a
// directory of a million files does not make hookwatch walk the whole machine.
const (
	seenAtMost     = 200_000 // entries
	foundAtMost    = 20_000  // files
	followedAtMost = 1000    // links to directories, which may lead to one another
)

// A Search looks for files below a directory.
type Search struct {
	Base    string                             // absolute
	Pattern string                             // a slash path from Base, with wildcards of doublestar
	Skip    func(path string, isDir bool) bool // reports whether to ignore an absolute path; may be nil
}

// errEnough ends a search that exceeds the limits.
var errEnough = errors.New("too much to search")

// Find returns the matching files as slash paths from the base, sorted. It follows links
// to directories that the Reader may read, except to a directory that contains the link.
// It returns no files if the base does not exist.
func (r Reader) Find(s Search) ([]string, error) {
	real, err := r.Resolve(s.Base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	w := walker{Search: s, r: r, parts: strings.Split(s.Pattern, "/")}
	if strings.ContainsAny(s.Pattern, `{\`) { // both may contain a slash
		w.parts = []string{"**"}
	}
	if err := w.dir(".", real); err != nil {
		return nil, fmt.Errorf("%s: %w: more than %d files or directories in it, %d that match or %d links to directories (narrow the pattern)",
			filepath.Join(s.Base, filepath.FromSlash(s.Pattern)), err, seenAtMost, foundAtMost, followedAtMost)
	}
	slices.Sort(w.found)
	return w.found, nil
}

// A walker goes through the directories of a Search.
type walker struct {
	Search
	r       Reader
	parts   []string // of the pattern
	above   []string // real paths of the current directory and its parents
	entries int
	links   int
	found   []string
}

// dir searches a directory with the real path real. Unreadable directories count as empty.
func (w *walker) dir(rel, real string) error {
	w.above = append(w.above, real)
	defer func() { w.above = w.above[:len(w.above)-1] }()
	d, err := os.Open(real)
	if err != nil {
		return nil
	}
	defer d.Close()
	for {
		entries, err := d.ReadDir(1000)
		for _, e := range entries {
			if w.entries++; w.entries > seenAtMost || len(w.found) > foundAtMost {
				return errEnough
			}
			if err := w.entry(path.Join(rel, e.Name()), filepath.Join(real, e.Name()), e.Type()); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

func (w *walker) entry(rel, real string, mode fs.FileMode) error {
	abs := filepath.Join(w.Base, filepath.FromSlash(rel))
	if mode&fs.ModeSymlink != 0 {
		if fi, err := os.Stat(real); err == nil && fi.IsDir() {
			if w.links++; w.links > followedAtMost {
				return errEnough
			}
			if real, err = w.r.Resolve(real); err != nil || w.leadsUp(real) {
				return nil
			}
			mode = fs.ModeDir
		}
	}
	switch {
	case mode.IsDir():
		if w.mayHold(rel) && !w.skips(abs, true) {
			return w.dir(rel, real)
		}
	default: // other kinds of files and broken links are included, because opening them reports the error
		if ok, err := doublestar.Match(w.Pattern, rel); ok && err == nil && !w.skips(abs, false) {
			w.found = append(w.found, rel)
		}
	}
	return nil
}

// leadsUp reports whether a link leads to a directory that contains it.
func (w *walker) leadsUp(real string) bool {
	return slices.ContainsFunc(w.above, func(dir string) bool { return Within(real, dir) })
}

func (w *walker) skips(abs string, isDir bool) bool { return w.Skip != nil && w.Skip(abs, isDir) }

// mayHold reports whether a file below a directory can match.
func (w *walker) mayHold(rel string) bool {
	names := strings.Split(rel, "/")
	for i, name := range names {
		switch {
		case i >= len(w.parts):
			return false
		case w.parts[i] == "**":
			return true
		}
		if ok, err := doublestar.Match(w.parts[i], name); !ok && err == nil {
			return false
		}
	}
	return len(names) < len(w.parts)
}

// ignoredDirs contain no hooks of the project: they have its history, or installed or
// compiled files.
var ignoredDirs = []string{".git", "node_modules", "__pycache__", ".venv"}

// IgnoredDir reports whether directories of this name are not searched.
func IgnoredDir(name string) bool { return slices.Contains(ignoredDirs, name) }
