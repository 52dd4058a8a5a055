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

// Evidence records the inputs that a case's verdict depends on. It is kept next to the
// record and may be lost: then every edit affects the case.
type Evidence struct {
	Digests suites.Digests `json:"digests"` // of its record
	// Digest of the inputs that the verdict also applies to, because later edits did not
	// affect the case.
	Now    string         `json:"now"`
	Inputs []suites.Input `json:"inputs"` // the inputs behind Now
	// What the case executed, in the format of suites/depend/trace; empty if it was not
	// traced.
	Trace json.RawMessage `json:"trace,omitempty"`
	Wide  string          `json:"wide,omitempty"` // if set, why every edit affects the case from now on
	// ID of the results directory that it was made in; evidence of other directories is
	// ignored.
	Origin string `json:"origin"`
}

// Observed are the paths and programs that cases were seen to use, for all cases that were traced. They are
// part of the evidence, kept apart because every selection needs them.
type Observed struct {
	Sets     [][]string      `json:"sets"`
	Programs [][]suites.Tool `json:"programs,omitempty"`
	Cases    []ObservedCase  `json:"cases"`
	Origin   string          `json:"origin"` // see Evidence
}

// UsedTools returns the programs that each case was seen to use, without cases of which they are not
// known.
func (o *Observed) UsedTools() map[suites.Key][]suites.Tool {
	used := make(map[suites.Key][]suites.Tool, len(o.Cases))
	for _, c := range o.Cases {
		if c.Used > 0 && c.Used <= len(o.Programs) {
			used[c.Key] = o.Programs[c.Used-1]
		}
	}
	return used
}

// An ObservedCase is the part of one case.
type ObservedCase struct {
	suites.Key
	Of  string `json:"of"`  // digest of the inputs in its record
	Now string `json:"now"` // digest of the observed inputs that the verdict applies to
	Set int    `json:"set"` // index of its paths in Sets
	// Used is 1 more than the index of its programs in Programs, 0 if they are not known.
	Used int `json:"used,omitempty"`
	// Earlier reports that the paths are those of a run on other content.
	Earlier bool `json:"earlier,omitempty"`
}

// Limits on reading evidence, because its files may come from someone else.
const (
	// The trace of a script of 10,000 lines has about 100 kB.
	traceLimit = 16 << 20
	// Only contents of files of at most 1 MiB are kept.
	contentLimit = 2 << 20
)

// keptContents is the number of file contents to keep, the most recently used ones.
const keptContents = 1000

// Directories within a results directory. They are created when they are first written to.
const (
	Traces   = "traces"   // <suite>/<ID>.json: evidence of a case
	Contents = "contents" // <digest>: content of a file
)

// observedFile is in the directory Traces, next to the directories of suites.
const observedFile = ".observed.json"

// letGo closes a directory of the evidence.
func letGo(d **disk.Dir) {
	if *d != nil {
		_ = (*d).Close()
		*d = nil
	}
}

// dropMoved closes directories of the evidence that were deleted or replaced by someone else.
func (r *Reader) dropMoved() {
	for name, d := range map[string]**disk.Dir{Traces: &r.traces, Contents: &r.contents} {
		if *d != nil && !r.dir.Holds(name, *d) {
			letGo(d)
		}
	}
}

// openWithin opens a directory, and creates it if needed, unless it is already open.
func (s *Store) openWithin(name string, d **disk.Dir) (err error) {
	if *d == nil {
		*d, err = s.r.dir.MakeSub(name)
	}
	return err
}

// replaceTrace writes a document into a directory of Traces, or into Traces itself for "".
func (s *Store) replaceTrace(suite, name string, document any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	if err := s.openWithin(Traces, &s.r.traces); err != nil {
		return err
	}
	dir := s.r.traces
	if suite != "" {
		if dir, err = dir.MakeSub(suite); err != nil {
			return err
		}
		defer dir.Close()
	}
	return dir.Replace(name, text, disk.Unsynced)
}

// ReadObserved returns the paths that cases were seen to use, without any if there are none.
func (r *Reader) ReadObserved() (o Observed) {
	if r.traces == nil || !r.ours {
		return o
	}
	b, err := r.traces.ReadFile(observedFile, traceLimit)
	if err != nil || ParseJSON(b, &o) != nil || o.Origin != r.origin.ID {
		return Observed{}
	}
	return o
}

// ReadObserved calls the Reader's method.
func (s *Store) ReadObserved() Observed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.ReadObserved()
}

// KeepObserved replaces the paths that cases were seen to use.
func (s *Store) KeepObserved(o Observed) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.Origin = s.r.origin.ID
	return s.wrap(s.replaceTrace("", observedFile, o))
}

// Evidence returns the evidence for a case, or nil if there is none.
func (r *Reader) Evidence(k suites.Key) *Evidence {
	if r.traces == nil || !r.ours {
		return nil
	}
	suite, err := r.traces.Sub(safeName(k.Suite))
	if err != nil {
		return nil
	}
	defer suite.Close()
	b, err := suite.ReadFile(safeName(k.ID)+".json", traceLimit)
	if err != nil {
		return nil
	}
	e := new(Evidence)
	if ParseJSON(b, e) != nil || e.Origin != r.origin.ID {
		return nil
	}
	return e
}

// Evidence calls the Reader's method.
func (s *Store) Evidence(k suites.Key) *Evidence {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Evidence(k)
}

// KeepEvidence replaces the evidence for a case.
func (s *Store) KeepEvidence(k suites.Key, e *Evidence) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := *e
	kept.Origin = s.r.origin.ID
	return s.wrap(s.replaceTrace(safeName(k.Suite), safeName(k.ID)+".json", &kept))
}

// Content returns the file content kept under a digest, or nil if there is none. The
// caller must check that it has the digest.
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

// Content calls the Reader's method.
func (s *Store) Content(digest string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Content(digest)
}

// KeepContent keeps a file's content, so that a later version can be compared with it. It
// calls content only if the digest is new.
func (s *Store) KeepContent(digest string, content func() []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !isDigest(digest) {
		return nil
	}
	if err := s.openWithin(Contents, &s.r.contents); err != nil {
		return s.wrap(err)
	}
	err := s.r.contents.Touch(digest, time.Now())
	if !errors.Is(err, fs.ErrNotExist) {
		return s.wrap(err) // nil: it is already kept
	}
	b := content()
	if b == nil {
		return nil
	}
	return s.wrap(s.r.contents.Replace(digest, b, disk.Unsynced))
}

// PruneContents removes all but the keptContents most recently used contents.
func (s *Store) PruneContents() {
	s.mu.Lock()
	defer s.mu.Unlock()
	contents := s.r.contents
	if contents == nil {
		return
	}
	all, err := contents.ReadDir()
	if err != nil || len(all) <= keptContents {
		return
	}
	all = slices.DeleteFunc(all, func(e os.DirEntry) bool {
		// With the dot: a temporary file left by a killed process.
		return !e.Type().IsRegular() || !isDigest(strings.TrimPrefix(e.Name(), "."))
	})
	used := func(e os.DirEntry) int64 {
		if info, err := e.Info(); err == nil {
			return info.ModTime().UnixNano()
		}
		return 0
	}
	slices.SortFunc(all, func(a, b os.DirEntry) int { return cmp.Compare(used(b), used(a)) })
	for _, e := range all[min(keptContents, len(all)):] {
		_ = contents.Remove(e.Name())
	}
}
