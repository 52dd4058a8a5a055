package record

import (
	"encoding/json"
	"errors"
	"io/fs"

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
