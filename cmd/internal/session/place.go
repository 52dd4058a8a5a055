package session

import (
	"hookwatch/suites"
	"hookwatch/suites/record"
)

// memory gives what is kept beside records.
type memory interface {
	Evidence(k suites.Key) *record.Evidence
	Content(digest string) []byte
}

// memory is the store's, or what there is of the project's without one.
func (s *Session) memory() memory {
	if s.o.Store != nil {
		return s.o.Store
	}
	if s.kept == nil {
		r, err := record.OpenReader(s.o.Records)
		if err != nil {
			r = new(record.Reader) // without it every edit affects
		}
		s.kept = r
	}
	return s.kept
}
