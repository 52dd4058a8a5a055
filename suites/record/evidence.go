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

// What is read of what is kept is bounded: somebody else may have put it there.
const (
	// A trace of a script of 10,000 lines has some 100 kB.
	traceLimit = 16 << 20
	// Contents are kept of files of at most 1 MiB.
	contentLimit = 2 << 20
)

// keptContents bounds how many contents of files are kept, the latest used.
const keptContents = 1000

// The directories, in a results directory.
const (
	Traces   = "traces"   // <suite>/<ID>.json: what is kept of a case
	Contents = "contents" // <digest>: contents of files
)

// A BasisStore reads and writes both, which need not be there: they are made when they
// are first needed.
type BasisStore struct{ dir, traces, contents *disk.Dir }

// OpenBasis opens what there is in a results directory.
func OpenBasis(dir *disk.Dir) (*BasisStore, error) {
	s := &BasisStore{dir: dir}
	for name, d := range s.all() {
		sub, err := dir.Sub(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.Close()
			return nil, err
		}
		*d = sub
	}
	return s, nil
}

func (s *BasisStore) all() map[string]**disk.Dir {
	return map[string]**disk.Dir{Traces: &s.traces, Contents: &s.contents}
}

// Close gives the directories up.
func (s *BasisStore) Close() {
	for _, d := range s.all() {
		letGo(d)
	}
}

// DropMoved lets go of directories that somebody deleted or exchanged.
func (s *BasisStore) DropMoved() {
	for name, d := range s.all() {
		if *d != nil && !s.dir.Holds(name, *d) {
			letGo(d)
		}
	}
}

func letGo(d **disk.Dir) {
	if *d != nil {
		_ = (*d).Close()
		*d = nil
	}
}

// Read gives what is kept of a case, nil when there is nothing of this origin.
func (s *BasisStore) Read(k suites.Key, origin string) *Evidence {
	if s.traces == nil {
		return nil
	}
	suite, err := s.traces.Sub(safeName(k.Suite))
	if err != nil {
		return nil
	}
	defer suite.Close()
	b, err := suite.ReadFile(safeName(k.ID)+".json", traceLimit)
	if err != nil {
		return nil
	}
	e := new(Evidence)
	if ParseJSON(b, e) != nil || e.Origin != origin {
		return nil
	}
	return e
}

// Write replaces what is kept of a case.
func (s *BasisStore) Write(k suites.Key, e *Evidence) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := s.within(Traces, &s.traces); err != nil {
		return err
	}
	suite, err := s.traces.MakeSub(safeName(k.Suite))
	if err != nil {
		return err
	}
	defer suite.Close()
	return suite.Replace(safeName(k.ID)+".json", b, disk.Unsynced)
}

// within opens a directory that is made when it is first needed.
func (s *BasisStore) within(name string, d **disk.Dir) (err error) {
	if *d == nil {
		*d, err = s.dir.MakeSub(name)
	}
	return err
}

// Evidence gives what the verdict on record of a case was seen to rest on, nil when
// nothing is kept.
func (r *Reader) Evidence(k suites.Key) *Evidence {
	if r.basis == nil || !r.ours {
		return nil
	}
	return r.basis.Read(k, r.origin.ID)
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
	return s.failed(s.r.basis.Write(k, &kept))
}

// Content gives a file's content that was kept under a digest, nil when it is
// not there. The caller checks that it has the digest.
func (r *Reader) Content(digest string) []byte {
	if r.basis == nil {
		return nil
	}
	return r.basis.Content(digest)
}

// Content is the Reader's.
func (s *Store) Content(digest string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Content(digest)
}

// KeepContent keeps a file's content, to compare a later one with.
func (s *Store) KeepContent(digest string, content func() []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed(s.r.basis.KeepContent(digest, content))
}

// PruneContents removes the contents that were not used for longest.
func (s *Store) PruneContents() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.r.basis.Prune()
}

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
