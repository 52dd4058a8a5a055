package isolate

import (
	"os"
	"path/filepath"
	"slices"
)

// hiddenFiles knows what is masked, by path and by what it is.
type hiddenFiles struct {
	paths []string        // without symbolic links
	ids   map[fileID]bool // of these, and of files in them that have other names
}

// Hidden makes the question whether cases are kept from a file: whoever reads a
// file that somebody else named asks it first. All that is masked is looked at
// here, so that a question costs a look at one path. A file is known by the
// symbolic links that lead to it, by its hard links, and through another mount
// of a directory that it lies in; one that does not exist by its place.
func (o Options) Hidden() func(path string) bool {
	h := hiddenFiles{ids: make(map[fileID]bool)}
	for _, path := range o.secrets() {
		h.paths = append(h.paths, path)
		if fi, err := os.Lstat(path); err == nil {
			h.note(fi)
		}
	}
	for _, m := range o.masks(true) {
		h.paths = append(h.paths, m.path)
		for _, id := range m.linked {
			h.ids[id] = true
		}
		if fi, err := os.Lstat(m.path); err == nil {
			h.note(fi)
		}
	}
	h.paths = sortedSet(h.paths)
	return h.hides
}

func (h hiddenFiles) note(fi os.FileInfo) {
	if id, ok := identity(fi); ok {
		h.ids[id] = true
	}
}

func (h hiddenFiles) hides(path string) bool {
	path = resolved(path)
	if slices.ContainsFunc(h.paths, func(p string) bool { return Within(p, path) }) {
		return true
	}
	for up := path; ; up = filepath.Dir(up) {
		if fi, err := os.Lstat(up); err == nil {
			if id, ok := identity(fi); ok && h.ids[id] {
				return true
			}
		}
		if up == filepath.Dir(up) {
			return false
		}
	}
}

// resolved is an absolute path without symbolic links, also where they lead to
// nothing.
func resolved(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	const mostLinks = 40
	for links, up, rest := 0, path, ""; ; {
		if p, err := filepath.EvalSymlinks(up); err == nil {
			return filepath.Join(p, rest)
		}
		if target, err := os.Readlink(up); err == nil && links < mostLinks {
			links++
			up = absolute(filepath.Dir(up), target)
			continue
		}
		if up == filepath.Dir(up) {
			return path
		}
		up, rest = filepath.Dir(up), filepath.Join(filepath.Base(up), rest)
	}
}
