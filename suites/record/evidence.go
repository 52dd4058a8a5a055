package record

import (
	"hookwatch/suites"
)

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
