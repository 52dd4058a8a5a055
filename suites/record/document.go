package record

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"hookwatch/suites/disk"
)

// readOwn reads a document that hookwatch wrote. One that is spoilt is put aside,
// for something else is about to be written there.
func (s *Store) readOwn(name string, into any) (there bool, err error) {
	text, err := s.r.dir.ReadFile(name, DocumentLimit)
	tooLarge := (*disk.Error)(nil)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.As(err, &tooLarge) && tooLarge.Reason == disk.Size:
	case err != nil:
		return false, err
	default:
		if err = ParseJSON(text, into); err == nil {
			return true, nil
		}
	}
	s.warn("%s: not readable: %v", filepath.Join(s.o.Dir, name), err)
	return false, s.putAside(name)
}

// putAside keeps a document that is spoilt, out of the way of the next one.
func (s *Store) putAside(name string) error {
	for n := 1; ; n++ {
		aside := fmt.Sprintf("%s.unreadable-%d", name, n)
		if _, err := s.r.dir.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			s.warn("%s is kept as %s", filepath.Join(s.o.Dir, name), aside)
			return s.r.dir.Rename(name, s.r.dir, aside)
		}
	}
}
