package record

import (
	"errors"
	"path/filepath"
	"time"
)

// Open creates the directory if need be, takes its lock, cuts what a killed
// process left half written and takes over the records of the run it did not
// end. It gives a *LockedError when another hookwatch holds the directory and
// a *WriteError when it cannot be written.
func Open(o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.RollingSize <= 0 {
		o.RollingSize = 10 << 20
	}
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err == nil {
		o.Base, err = filepath.Abs(o.Base)
	}
	if err != nil {
		return nil, &WriteError{o.Dir, err}
	}
	s := &Store{o: o, logs: map[string]*Log{}, kept: map[string]bool{}}
	if err := s.enter(); err != nil {
		return nil, err
	}
	if err := s.repair(); err != nil {
		s.leave()
		return nil, s.failed(err)
	}
	return s, nil
}

// Begin opens a run. A run that was begun before and not ended is ended first:
// its finished records become the present state.
func (s *Store) Begin(r Run) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.ID == "" {
		return errors.New("a run needs an ID")
	}
	// First, since what is left of the earlier run may lie in another directory now.
	if err := s.reattach(); err != nil {
		return err
	}
	if s.run != nil && s.run.ID != r.ID { // else it grew
		if _, err := s.resume(markerOf(*s.run)); err != nil {
			return s.failed(err)
		}
		s.run = nil
	}
	if err := s.writeMarker(markerOf(r)); err != nil {
		return s.failed(err)
	}
	s.run = &r
	return nil
}

// Close gives the directory back. A run that was not ended stays marked, for
// the next Open to take over.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.closeLogs()
	s.leave()
	return s.failed(err)
}

// Interrupted tells what the previous process did not end; nil when nothing.
func (s *Store) Interrupted() *Interruption {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.interrupted
}
