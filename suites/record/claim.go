package record

import (
	"path/filepath"
)

// claim makes the directory one of this person's. Records that it came with go to
// the archive first: they are history.
func (s *Store) claim() error {
	if !s.r.ours {
		if err := s.disown(); err != nil {
			return err
		}
		s.r.origin.ID = ""
	}
	if s.r.origin.ID == "" {
		s.r.origin = NewOrigin()
		if err := s.r.origin.Write(s.r.dir); err != nil {
			return err
		}
	}
	if p := s.o.Place; p.Marks != "" && (!s.r.ours || p.Restored) {
		if err := s.r.origin.Mark(p.Marks, p.Dir); err != nil {
			s.warn("%v: the next hookwatch will not know the records as its own (--restored tells it)", err)
		}
	}
	s.r.ours = true
	return nil
}

// disown moves what would count as the present state to the archive.
func (s *Store) disown() error {
	files, err := stateFiles(s.r.dir)
	if err != nil {
		return err
	}
	var names []string
	for _, f := range files {
		names = append(names, f.name)
	}
	for _, name := range ownDocuments {
		if _, err := s.r.dir.Lstat(name); err == nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	at, err := s.setAside(stamp{s.o.Now().UTC(), 1}, names)
	if err != nil {
		return err
	}
	s.warn("%s was not made by hookwatch here (it came with a clone, or was restored): its records were moved to %s and count as history, not as what was last run (--restored takes them as your own)",
		s.o.Dir, filepath.Join(archiveName, at))
	return nil
}
