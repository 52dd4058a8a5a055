package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// Evidence is what the verdict on record of a case was seen to rest on. It is
// kept beside the record, and can be lost: then every edit affects the case.
type Evidence struct {
	Digests suites.Digests  `json:"digests"`         // of the record that it belongs to
	Now     string          `json:"now"`             // digest of the inputs that the verdict is also about, since edits did not affect the case
	Inputs  []suites.Input  `json:"inputs"`          // these inputs
	Trace   json.RawMessage `json:"trace,omitempty"` // what the case executed, as suites/depend/trace has it; none: it was not traced
	Wide    string          `json:"wide,omitempty"`  // why every edit affects the case from now on
	Origin  string          `json:"origin"`          // ID of the results directory that it was made in; another's does not count
}

// keptContents bounds how many contents of files are kept, the latest used.
const keptContents = 1000

// Evidence gives what is kept of a case, nil when there is none.
func (r *Reader) Evidence(k suites.Key) *Evidence {
	if r.traces == nil || !r.ours {
		return nil
	}
	suite, err := r.traces.Sub(safeName(k.Suite))
	if err != nil {
		return nil
	}
	defer suite.Close()
	b, err := suite.ReadFile(safeName(k.ID)+".json", evidenceLimit)
	if err != nil {
		return nil
	}
	e := new(Evidence)
	if parse(b, e) != nil || e.Origin != r.origin.ID {
		return nil
	}
	return e
}

// Evidence is the Reader's.
func (s *Store) Evidence(k suites.Key) *Evidence {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Evidence(k)
}

// KeepEvidence replaces what is kept of a case.
func (s *Store) KeepEvidence(k suites.Key, e *Evidence) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := *e
	kept.Origin = s.r.origin.ID
	b, err := json.Marshal(&kept)
	if err != nil {
		return err
	}
	if err := s.within(tracesName, &s.r.traces); err != nil {
		return s.failed(err)
	}
	suite, err := s.r.traces.MakeSub(safeName(k.Suite))
	if err != nil {
		return s.failed(err)
	}
	defer suite.Close()
	return s.failed(suite.Replace(safeName(k.ID)+".json", b, disk.Unsynced))
}

// within opens a directory of the results directory that is made when it is
// first needed.
func (s *Store) within(name string, d **disk.Dir) (err error) {
	if *d == nil {
		*d, err = s.r.dir.MakeSub(name)
	}
	return err
}

// Content gives a file's content that was kept under a digest, nil when it is
// not there. The caller checks that it has the digest.
func (r *Reader) Content(digest string) []byte {
	if r.contents == nil || !isDigest(digest) {
		return nil
	}
	b, err := r.contents.ReadFile(digest, contentLimit)
	if err != nil {
		return nil
	}
	return b
}

// Content is the Reader's.
func (s *Store) Content(digest string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Content(digest)
}

// KeepContent keeps a file's content, to compare a later one with.
func (s *Store) KeepContent(digest string, content func() []byte) error {
	if !isDigest(digest) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.within(contentsName, &s.r.contents); err != nil {
		return s.failed(err)
	}
	switch err := s.r.contents.Touch(digest, time.Now()); {
	case err == nil:
		return nil // it is there
	case !errors.Is(err, fs.ErrNotExist):
		return s.failed(err)
	}
	b := content()
	if b == nil {
		return nil
	}
	return s.failed(s.r.contents.Replace(digest, b, disk.Unsynced))
}

// PruneContents removes the contents that were not used for longest.
func (s *Store) PruneContents() {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := entries(s.r.contents)
	if err != nil || len(all) <= keptContents {
		return
	}
	all = slices.DeleteFunc(all, func(e os.DirEntry) bool {
		return !e.Type().IsRegular() || !isDigest(strings.TrimPrefix(e.Name(), ".")) // with the dot: what a kill left of one
	})
	used := func(e os.DirEntry) int64 {
		if info, err := e.Info(); err == nil {
			return info.ModTime().UnixNano()
		}
		return 0
	}
	slices.SortFunc(all, func(a, b os.DirEntry) int { return cmp.Compare(used(b), used(a)) })
	for _, e := range all[min(keptContents, len(all)):] {
		_ = s.r.contents.Remove(e.Name())
	}
}
