package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"hookwatch/suites"
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
	return replaceUnsynced(s.path(markerName), text)
}

func (s *Store) removeMarker() error { return s.remove(markerName) }

// remove deletes a file of the results directory, which need not exist.
func (s *Store) remove(name string) error {
	if err := os.Remove(s.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

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
	m, ok, err := s.readMarker()
	if err != nil {
		return err
	}
	if s.first, err = s.load(); err != nil || !ok {
		return err
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
	entries, err := os.ReadDir(s.o.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() && isLeftover(e.Name()) {
			if err := s.remove(e.Name()); err != nil {
				return err
			}
		}
	}
	if entries, err = os.ReadDir(s.path(archiveName)); err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), pendingPrefix) {
			if err := os.RemoveAll(s.path(archiveName, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) cutTails() error {
	agents, err := rollingAgents(s.o.Dir)
	if err != nil {
		return err
	}
	for _, agent := range agents {
		path := s.path(rollingName, agent+linesSuffix)
		_, cut, err := cutTail(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if cut > 0 {
			s.warnings = append(s.warnings, fmt.Sprintf("%s: the last line was torn when hookwatch was killed; %d bytes were cut off", path, cut))
		}
	}
	return nil
}

func (s *Store) readMarker() (m marker, ok bool, err error) {
	text, err := os.ReadFile(s.path(markerName))
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	if err != nil {
		return m, false, err
	}
	if err := json.Unmarshal(text, &m); err != nil || m.RunID == "" {
		s.warnings = append(s.warnings, fmt.Sprintf(
			"%s: not readable, so the run that was interrupted is not known; its records are in the rolling log", s.path(markerName)))
		return m, false, s.removeMarker()
	}
	return m, true, nil
}

// resume ends a run that its process did not end. One whose archive directory
// is there did end, but for the steps that follow it; the answer is then nil.
func (s *Store) resume(m marker) (*Interruption, error) {
	runs, err := archived(s.o.Dir)
	if err != nil {
		return nil, err
	}
	for _, r := range runs[:min(len(runs), 3)] {
		if archivedRunID(r.Dir) == m.RunID {
			return nil, s.finish(r.Dir)
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
	agents, err := rollingAgents(s.o.Dir)
	if err != nil {
		return nil, err
	}
	byAgent := map[string][]suites.Record{}
	for _, agent := range agents {
		files, err := rollingFiles(s.o.Dir, agent+linesSuffix)
		if err != nil {
			return nil, err
		}
		for _, f := range files { // newest first, until one holds only earlier runs
			var found []suites.Record
			others := false
			warned, err := f.read(func(r suites.Record) bool {
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
