package depend

import (
	"errors"
	"io/fs"
)

// unchanged reports whether a path holds what it held: the same content by the
// same links, or nothing, as before.
func (x *index) unchanged(p string, f *file) bool {
	l := x.look(p, false)
	if x.newer[p] {
		return false
	}
	if f.digest == "" && !(errors.Is(f.err, fs.ErrNotExist) && errors.Is(l.err, fs.ErrNotExist)) {
		return false // a directory says nothing of what is below it
	}
	return l.same(f)
}

// drop forgets a path and what is below it.
func (x *index) drop(p string) {
	f, ok := x.files[p]
	delete(x.files, p)
	delete(x.newer, p)
	if ok && f.digest != "" {
		return
	}
	for known := range x.files {
		if below(known, p) {
			delete(x.files, known)
			delete(x.newer, known)
		}
	}
}
