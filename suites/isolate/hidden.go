package isolate

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"hookwatch/suites/disk"
)

// A Hiding knows what is masked, by path and by what it is: a file is known by the
// symbolic links that lead to it, by its hard links, and through another mount of
// a directory that it lies in; one that does not exist by its place. It is safe
// for concurrent use, and remembers what it saw of directories.
type Hiding struct {
	root  string // the project, without symbolic links
	known hidden
	// deep knows the hard links and links far down in masked directories, which takes
	// a walk through all of them: it is made for the first file that may be one.
	deep func() hidden
	mu   sync.Mutex
	dirs map[string]bool
}

// hidden is what is masked.
type hidden struct {
	paths map[string]bool // without symbolic links
	ids   map[fileID]bool // of these, and of files in them that have other names
}

// Hiding makes what answers, for many files, whether cases are kept from one:
// whoever reads a file that somebody else named asks it first.
func (r Rules) Hiding() *Hiding {
	return &Hiding{
		root: disk.Real(r.Root), known: r.hidden(false),
		deep: sync.OnceValue(func() hidden { return r.hidden(true) }), dirs: make(map[string]bool),
	}
}

func (r Rules) hidden(deep bool) hidden {
	h := hidden{make(map[string]bool), make(map[fileID]bool)}
	for _, path := range r.secrets() {
		h.note(path)
	}
	for _, m := range r.Find(deep) {
		h.note(m.Path)
		for _, l := range m.linked {
			h.ids[l.id] = true
		}
	}
	return h
}

func (h hidden) note(path string) {
	h.paths[path] = true
	if fi, err := os.Lstat(path); err == nil {
		if id, ok := identity(fi); ok {
			h.ids[id] = true
		}
	}
}

// has reports whether a file or directory is masked itself.
func (h hidden) has(path string, fi fs.FileInfo) bool {
	if h.paths[path] {
		return true
	}
	if fi == nil {
		return false
	}
	id, ok := identity(fi)
	return ok && h.ids[id]
}

// Hides reports whether cases are kept from what is at an absolute path without
// symbolic links.
func (h *Hiding) Hides(path string) bool {
	fi, err := os.Lstat(path)
	if err != nil {
		fi = nil
	}
	if h.known.has(path, fi) || h.hidesDir(filepath.Dir(path)) {
		return true
	}
	if fi == nil || namesOf(fi) == 1 && disk.Within(h.root, path) {
		return false
	}
	deep := h.deep()
	for up := path; up != filepath.Dir(up); up = filepath.Dir(up) {
		if up != path {
			fi = nil // those above were looked at
		}
		if deep.has(up, fi) {
			return true
		}
	}
	return false
}

// hidesDir reports whether a directory, or one that it lies in, is masked.
func (h *Hiding) hidesDir(dir string) bool {
	h.mu.Lock()
	hides, known := h.dirs[dir]
	h.mu.Unlock()
	if known {
		return hides
	}
	fi, err := os.Lstat(dir)
	if err != nil {
		fi = nil
	}
	hides = h.known.has(dir, fi) || dir != filepath.Dir(dir) && h.hidesDir(filepath.Dir(dir))
	if fi != nil {
		h.mu.Lock()
		h.dirs[dir] = hides
		h.mu.Unlock()
	}
	return hides
}
