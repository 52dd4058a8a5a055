package session

import (
	"os"
	"path/filepath"

	"github.com/adrg/xdg"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/record"
)

// RecordsPlace is where a project's records are. Restored says that they are the
// person's own, wherever they were made. Those in the person's state folder can
// have come from nowhere else.
func RecordsPlace(cfg *config.Config, restored bool) record.Place {
	state := filepath.Join(xdg.StateHome, "hookwatch")
	p := record.Place{Dir: cfg.ResultsDir, Base: resultsBase(cfg), Restored: restored}
	if !holds(state, p.Dir) {
		p.Marks = filepath.Join(state, "made-here")
	}
	return p
}

// resultsBase is the directory from which on no link is followed: the project's
// root, or what there is of the way to a directory elsewhere.
func resultsBase(cfg *config.Config) string {
	if holds(cfg.Root, cfg.ResultsDir) {
		return cfg.Root
	}
	dir := cfg.ResultsDir
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

func holds(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
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
