package session

import (
	"path/filepath"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/record"
)

// RecordsPlace is where a project's records are. Restored says that they are the
// person's own, wherever they were made. Those in the person's state folder can
// have come from nowhere else.
func RecordsPlace(cfg *config.Config, restored bool) record.Place {
	state := filepath.Join(cfg.State, "hookwatch")
	p := record.Place{Dir: cfg.ResultsDir, Base: cfg.ResultsBase, Restored: restored}
	if !disk.Within(state, p.Dir) {
		p.Marks = filepath.Join(state, "made-here")
	}
	return p
}

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
			r = new(record.Reader) // nothing is spared for what cannot be read
		}
		s.kept = r
	}
	return s.kept
}
