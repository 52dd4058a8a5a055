package isolate

import (
	"errors"
	"path/filepath"
	"strconv"
)

// Keep copies what the case left into dir: its own directory as it was, and what
// it wrote elsewhere below "changes".
func (s *Sandbox) Keep(dir string) error {
	after := s.take()
	err := CopyTree(filepath.Join(s.path(), caseDir), dir, nil)
	keep := func(tree, at string) {
		err = errors.Join(err, s.keepTree(tree, filepath.Join(dir, "changes", at), after))
	}
	keep(deviceFS+"/shm", "/dev/shm")
	for i, at := range s.plan.private {
		keep(placeDir+strconv.Itoa(i), at)
	}
	for i, at := range s.plan.views {
		keep(s.upper(i), at)
	}
	return err
}

// keepTree copies one tree of the storage unless nothing was written to it.
func (s *Sandbox) keepTree(tree, to string, after Snapshot) error {
	written := false
	for name, a := range after {
		if _, ok := under(tree, name); ok && !a.mode.IsDir() && !a.same(s.before[name]) {
			written = true
			break
		}
	}
	if !written {
		return nil
	}
	return CopyTree(filepath.Join(s.path(), tree), to, func(rel string) bool {
		a := after[tree+"/"+rel]
		return !a.mode.IsDir() && a.same(s.before[tree+"/"+rel])
	})
}
