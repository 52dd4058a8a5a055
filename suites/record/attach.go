package record

import (
	"hookwatch/suites/disk"
)

// enter opens the directory and what is in it, and takes its lock.
func (s *Store) enter() error {
	r := &Reader{place: s.o.Place}
	var err error
	if r.dir, err = disk.Make(s.o.Base, s.o.Dir); err != nil {
		return s.failed(err)
	}
	if err = checkWay(r.dir); err == nil {
		err = r.enter((*disk.Dir).MakeSub)
	}
	if err == nil && (r.rolling == nil || r.archive == nil) { // somebody moved it between being made and opened
		err = &disk.Error{Path: r.dir.Path(), Reason: disk.Moved}
	}
	if err == nil {
		err = ignored(r.dir)
	}
	if err != nil {
		r.Close()
		return s.failed(err)
	}
	held, pid, err := Take(r.dir, lockName)
	if err == nil && held == nil {
		err = &LockedError{r.dir.Path(), pid}
	} else if err != nil {
		err = &WriteError{r.dir.Path(), err}
	}
	if err != nil {
		r.Close()
		return err
	}
	s.r, s.lock = r, held
	return nil
}

// leave gives back what enter took.
func (s *Store) leave() {
	_ = s.lock.Close()
	s.r.Close()
}

// reattach has the log files opened anew, and starts over where somebody deleted
// or exchanged the directory that this Store had locked.
func (s *Store) reattach() error {
	for _, l := range s.logs {
		if err := l.LetGo(); err != nil {
			return s.failed(err)
		}
	}
	_, err := s.r.dir.Lstat(lockName)
	if err == nil && s.r.dir.InPlace(s.o.Base) && s.r.dir.Holds(rollingName, s.r.rolling) && s.r.dir.Holds(archiveName, s.r.archive) {
		s.r.basis.DropMoved()
		return nil
	}
	_ = s.closeLogs() // of a directory that is gone
	s.leave()
	if err := s.enter(); err != nil {
		return err
	}
	s.first, s.tools = nil, nil
	if err := s.claim(); err != nil {
		return s.failed(err)
	}
	_, err = s.load()
	return s.failed(err)
}
