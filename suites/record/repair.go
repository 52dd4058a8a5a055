package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// A marker is the text of running.json.
type marker struct {
	RunID   string            `json:"run_id"`
	PID     int               `json:"pid"`
	Started time.Time         `json:"started"`
	Full    bool              `json:"full"`
	Keys    []markerKey       `json:"keys"`
	Agents  map[string]string `json:"agents,omitempty"`
}

type markerKey struct {
	Suite string `json:"suite"`
	ID    string `json:"id"`
}

func markerOf(r Run) marker {
	m := marker{RunID: r.ID, PID: os.Getpid(), Started: r.Started, Full: r.Full, Agents: r.Agents}
	for _, k := range r.Keys {
		m.Keys = append(m.Keys, markerKey(k))
	}
	return m
}

// writeMarker does not wait for the disk: the first hook of the run would wait
// with it, and after a power cut a lost marker costs one "was interrupted".
func (s *Store) writeMarker(m marker) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return s.r.dir.Replace(markerName, text, disk.Unsynced)
}

func (s *Store) removeMarker() error { return s.r.dir.Remove(markerName) }

// An Interruption is a run that its process did not end. The records of the
// cases that finished are part of the present state.
type Interruption struct {
	RunID      string
	Full       bool
	PID        int
	Started    time.Time
	Planned    int // cases
	Finished   int // of them
	Unfinished []suites.Key
}

// repair brings the directory into order after whatever the previous process
// died of.
func (s *Store) repair() error {
	if err := s.removeLeftovers(); err != nil {
		return err
	}
	if err := s.cutTails(); err != nil {
		return err
	}
	if err := s.claim(); err != nil {
		return err
	}
	m, ok, err := s.readMarker()
	if err != nil {
		return err
	}
	if s.first, err = s.load(); err != nil {
		return err
	}
	for _, name := range s.first.unreadable {
		if err := s.putAside(name); err != nil {
			return err
		}
	}
	if !ok {
		return nil
	}
	if s.interrupted, err = s.resume(m); err != nil {
		return err
	}
	s.first, err = s.load()
	return err
}

// removeLeftovers deletes temporary files and archive directories that were
// never finished.
func (s *Store) removeLeftovers() error {
	for d, ours := range map[*disk.Dir]func(name string) bool{
		s.r.dir:     func(name string) bool { return slices.Contains(documents, name) || isStateFile(name) },
		s.r.rolling: isRolling,
	} {
		all, err := entries(d)
		if err != nil {
			return err
		}
		for _, e := range all {
			if of, ok := disk.IsLeftover(e.Name()); ok && ours(of) && e.Type().IsRegular() {
				if err := d.Remove(e.Name()); err != nil {
					return err
				}
			}
		}
	}
	pending, err := entries(s.r.archive)
	for _, e := range pending {
		stamp, ok := strings.CutPrefix(e.Name(), pendingPrefix)
		_, parsed := parseStamp(stamp)
		switch {
		case parsed && !e.IsDir(): // nothing is read or deleted there
			_, odd := s.r.archive.Sub(e.Name())
			s.warn("%v", odd)
		case parsed && ok:
			err = errors.Join(err, s.discard(e.Name(), false))
		}
	}
	return err
}

func isStateFile(name string) bool {
	_, _, ok := splitName(name)
	return ok
}

func (s *Store) cutTails() error {
	agents, err := s.r.rollingAgents()
	if err != nil {
		return err
	}
	for _, agent := range agents {
		name := agent + linesSuffix
		if _, err := s.r.rolling.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			continue // it has old files alone
		}
		f, err := s.r.rolling.Append(name)
		if err != nil {
			return err
		}
		_, cut, err := cutTail(f)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		if cut > 0 {
			s.warn("%s: the last line was torn when hookwatch was killed; %d bytes were cut off", filepath.Join(s.r.rolling.Path(), name), cut)
		}
	}
	return nil
}

// readOwn reads a document that hookwatch wrote. One that is spoilt is put aside,
// for something else is about to be written there.
func (s *Store) readOwn(name string, into any) (there bool, err error) {
	text, err := s.r.dir.ReadFile(name, documentLimit)
	tooLarge := (*disk.Error)(nil)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.As(err, &tooLarge) && tooLarge.Reason == disk.Size:
	case err != nil:
		return false, err
	default:
		if err = parse(text, into); err == nil {
			return true, nil
		}
	}
	s.warn("%s: not readable: %v", filepath.Join(s.o.Dir, name), err)
	return false, s.putAside(name)
}

// putAside keeps a document that is spoilt, out of the way of the next one.
func (s *Store) putAside(name string) error {
	for n := 1; ; n++ {
		aside := fmt.Sprintf("%s.unreadable-%d", name, n)
		if _, err := s.r.dir.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			s.warn("%s is kept as %s", filepath.Join(s.o.Dir, name), aside)
			return s.r.dir.Rename(name, s.r.dir, aside)
		}
	}
}

func (s *Store) readMarker() (m marker, ok bool, err error) {
	ok, err = s.readOwn(markerName, &m)
	if ok && m.RunID == "" {
		return m, false, s.removeMarker()
	}
	return m, ok, err
}

// resume ends a run that its process did not end. One whose archive directory
// is there did end, but for the steps that follow it; the answer is then nil.
func (s *Store) resume(m marker) (*Interruption, error) {
	runs, err := s.r.Runs()
	if err != nil {
		return nil, err
	}
	for _, run := range runs[:min(len(runs), 3)] {
		if s.r.runID(run.Stamp) == m.RunID {
			return nil, s.finish(run.Stamp)
		}
	}
	byAgent, err := s.recordsOf(m.RunID)
	if err != nil {
		return nil, err
	}
	if err := s.merge(byAgent); err != nil {
		return nil, err
	}
	in := interruptionOf(m, byAgent)
	return in, s.removeMarker()
}

func interruptionOf(m marker, byAgent map[string][]suites.Record) *Interruption {
	done := map[suites.Key]bool{}
	for _, records := range byAgent {
		for i := range records {
			done[records[i].Key()] = true
		}
	}
	in := &Interruption{RunID: m.RunID, Full: m.Full, PID: m.PID, Started: m.Started, Planned: len(m.Keys)}
	for _, k := range m.Keys {
		if key := suites.Key(k); done[key] {
			in.Finished++
		} else {
			in.Unfinished = append(in.Unfinished, key)
		}
	}
	return in
}

// recordsOf collects a run's records from the rolling logs, each case's in the
// order in which they were written.
func (s *Store) recordsOf(runID string) (map[string][]suites.Record, error) {
	agents, err := s.r.rollingAgents()
	if err != nil {
		return nil, err
	}
	b := newBudget()
	byAgent := map[string][]suites.Record{}
	for _, agent := range agents {
		files, err := s.r.rollingFiles(agent + linesSuffix)
		if err != nil {
			return nil, err
		}
		for _, f := range files { // newest first, until one holds only earlier runs
			var found []suites.Record
			others := false
			warned, err := f.read(b, func(r suites.Record) bool {
				if r.RunID == runID {
					found = append(found, r)
				} else {
					others = true
				}
				return true
			})
			if err != nil {
				return nil, err
			}
			s.warnings = append(s.warnings, warned...)
			if byAgent[agent] = append(found, byAgent[agent]...); others && len(found) == 0 {
				break
			}
		}
		if len(byAgent[agent]) == 0 {
			delete(byAgent, agent)
		}
	}
	return byAgent, nil
}
