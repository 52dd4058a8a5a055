package record

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"hookwatch/suites/disk"
)

// Content gives a file's content that was kept under a digest, nil when it is
// not there. The caller checks that it has the digest.
func (s *BasisStore) Content(digest string) []byte {
	if s.contents == nil || !IsDigest(digest) {
		return nil
	}
	b, err := s.contents.ReadFile(digest, contentLimit)
	if err != nil {
		return nil
	}
	return b
}

// KeepContent keeps a file's content, to compare a later one with.
func (s *BasisStore) KeepContent(digest string, content func() []byte) error {
	if !IsDigest(digest) {
		return nil
	}
	if err := s.within(Contents, &s.contents); err != nil {
		return err
	}
	switch err := s.contents.Touch(digest, time.Now()); {
	case err == nil:
		return nil // it is there
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	b := content()
	if b == nil {
		return nil
	}
	return s.contents.Replace(digest, b, disk.Unsynced)
}

// Prune removes the contents that were not used for longest.
func (s *BasisStore) Prune() {
	if s.contents == nil {
		return
	}
	all, err := s.contents.ReadDir()
	if err != nil || len(all) <= keptContents {
		return
	}
	all = slices.DeleteFunc(all, func(e os.DirEntry) bool {
		return !e.Type().IsRegular() || !IsDigest(strings.TrimPrefix(e.Name(), ".")) // with the dot: what a kill left of one
	})
	used := func(e os.DirEntry) int64 {
		if info, err := e.Info(); err == nil {
			return info.ModTime().UnixNano()
		}
		return 0
	}
	slices.SortFunc(all, func(a, b os.DirEntry) int { return cmp.Compare(used(b), used(a)) })
	for _, e := range all[min(keptContents, len(all)):] {
		_ = s.contents.Remove(e.Name())
	}
}
