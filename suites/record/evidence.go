package record

import (
	"cmp"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hookwatch/suites"
)

// Evidence is what the verdict on record of a case was seen to rest on. It is
// kept beside the record, and can be lost: then the case is spared nothing.
type Evidence struct {
	Digests suites.Digests  `json:"digests"`         // of the record that it belongs to
	Now     string          `json:"now"`             // digest of the inputs that the verdict is also about, since edits spared the case
	Inputs  []suites.Input  `json:"inputs"`          // these inputs
	Trace   json.RawMessage `json:"trace,omitempty"` // what the case came through, as suites/depend/trace has it; none: it was not traced
	Wide    string          `json:"wide,omitempty"`  // why the case is not to be spared any more
}

// The places of evidence and of contents.
const (
	tracesName   = "traces"
	contentsName = "contents"
	// keptContents bounds how many contents of files are kept, the latest used.
	keptContents = 1000
)

func evidencePath(dir string, k suites.Key) string {
	return filepath.Join(dir, tracesName, url.PathEscape(k.Suite), url.PathEscape(k.ID)+".json")
}

// ReadEvidence gives what is kept of a case, nil when there is none.
func ReadEvidence(dir string, k suites.Key) *Evidence {
	b, err := os.ReadFile(evidencePath(dir, k))
	if err != nil {
		return nil
	}
	e := new(Evidence)
	if json.Unmarshal(b, e) != nil {
		return nil
	}
	return e
}

// KeepEvidence replaces what is kept of a case.
func (s *Store) KeepEvidence(k suites.Key, e *Evidence) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	path := evidencePath(s.o.Dir, k)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return s.failed(err)
	}
	return s.failed(replaceUnsynced(path, b))
}

// Content gives a file's content that was kept under a digest, nil when it is
// not there. The caller checks that it has the digest.
func Content(dir, digest string) []byte {
	if digest == "" || filepath.Base(digest) != digest {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(dir, contentsName, digest))
	if err != nil {
		return nil
	}
	return b
}

// KeepContent keeps a file's content, to compare a later one with.
func (s *Store) KeepContent(digest string, content func() []byte) error {
	path := s.path(contentsName, digest)
	now := time.Now()
	if os.Chtimes(path, now, now) == nil {
		return nil // it is there
	}
	b := content()
	if b == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return s.failed(err)
	}
	return s.failed(replaceUnsynced(path, b))
}

// PruneContents removes the contents that were not used for longest.
func (s *Store) PruneContents() {
	entries, err := os.ReadDir(s.path(contentsName))
	if err != nil || len(entries) <= keptContents {
		return
	}
	used := func(e os.DirEntry) int64 {
		if info, err := e.Info(); err == nil {
			return info.ModTime().UnixNano()
		}
		return 0
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(used(b), used(a)) })
	for _, e := range entries[keptContents:] {
		_ = os.Remove(s.path(contentsName, e.Name()))
	}
}
