// Package record keeps what runs produced, in a results directory of one
// project:
//
//	<agent>-<UTC of the last full run>.jsonl  present state, one record a case
//	rolling/<agent>.jsonl                     every record as it happened
//	rolling/tools.log                         what tools there were, a line a change
//	archive/<UTC>/                            each full run as it ended
//	RESULTS.md COMPARISON.md environment.json of the latest run
//	inputs.json                               what the records' digests of inputs stand for
//	running.json                              the run in progress
//	.lock                                     PID of the hookwatch that writes here
//
// A record is in the rolling log before anybody is told its verdict, and every
// other file is replaced whole, so a process that is killed loses nothing:
// running.json tells the next one which records to take over.
package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"hookwatch/suites"
)

// Options say where records are kept and how long.
type Options struct {
	Dir         string           // the results directory; created when it does not exist
	KeepRuns    int              // archived runs to keep; 0 means all
	KeepDays    int              // age at which archived runs and old rolling logs go; 0 means never
	RollingSize int64            // bytes at which a rolling log is rotated; 0 means 10 MB
	Now         func() time.Time // nil means time.Now
}

// A Store writes a results directory. It is safe for concurrent use; at most
// one Store in all processes is open on a directory.
type Store struct {
	o    Options
	lock *flock.Flock

	mu          sync.Mutex // guards what follows
	logs        map[string]*rollingLog
	tools       []suites.Tool // of the last line of the log of tools; nil before it was looked at
	run         *Run
	state       state
	interrupted *Interruption
	warnings    []string
	first       *Snapshot // read by Open, for the first call of Snapshot
}

// A Run is a set of cases executed together.
type Run struct {
	ID      string
	Full    bool
	Started time.Time
	Keys    []suites.Key      // of the cases planned
	Agents  map[string]string // suite -> agent; a suite without one keeps the agent it has, or gets "<suite>-agent"
}

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
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, &WriteError{o.Dir, err}
	}
	o.Dir = dir
	s := &Store{o: o, logs: map[string]*rollingLog{}}
	if err := s.prepare(); err != nil {
		return nil, s.failed(err)
	}
	if s.lock, err = lock(dir); err != nil {
		return nil, err
	}
	if err := s.repair(); err != nil {
		_ = s.lock.Unlock()
		return nil, s.failed(err)
	}
	return s, nil
}

// prepare makes the directories, and has git ignore them unless somebody has
// written rules of their own.
func (s *Store) prepare() error {
	for _, name := range []string{rollingName, archiveName} {
		if err := os.MkdirAll(s.path(name), 0o755); err != nil {
			return err
		}
	}
	_, err := os.Lstat(s.path(ignoreName))
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return replaceUnsynced(s.path(ignoreName), []byte("*\n"))
}

func (s *Store) path(elem ...string) string {
	return filepath.Join(append([]string{s.o.Dir}, elem...)...)
}

// Snapshot reads the present state. Its warnings begin with what Open repaired.
func (s *Store) Snapshot() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap := s.first
	if s.first = nil; snap == nil {
		var err error
		if snap, err = Read(s.o.Dir); err != nil {
			snap = &Snapshot{Inputs: map[string][]suites.Input{}, Warnings: []string{err.Error()}}
		}
	}
	snap.Warnings = slices.Concat(s.warnings, snap.Warnings)
	return snap
}

// Begin opens a run. A run that was begun before and not ended is ended first:
// its finished records become the present state.
func (s *Store) Begin(r Run) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil && s.run.ID == r.ID { // it grew
		if err := s.writeMarker(markerOf(r)); err != nil {
			return s.failed(err)
		}
		s.run = &r
		return nil
	}
	if s.run != nil {
		if _, err := s.resume(markerOf(*s.run)); err != nil {
			return s.failed(err)
		}
		s.run = nil
	}
	if r.ID == "" {
		return errors.New("a run needs an ID")
	}
	if err := s.reattach(); err != nil {
		return err
	}
	if err := s.writeMarker(markerOf(r)); err != nil {
		return s.failed(err)
	}
	s.run = &r
	return nil
}

// reattach has the log files opened anew, and starts over in a new directory if
// somebody deleted the one that this Store had locked.
func (s *Store) reattach() error {
	for _, l := range s.logs {
		if err := l.reopen(); err != nil {
			return s.failed(err)
		}
	}
	if _, err := os.Lstat(s.path(lockName)); !errors.Is(err, fs.ErrNotExist) {
		return s.failed(err)
	}
	if err := s.prepare(); err != nil {
		return s.failed(err)
	}
	held, err := lock(s.o.Dir)
	if err != nil {
		return err
	}
	_ = s.lock.Unlock() // of a file that is gone
	s.lock, s.first, s.tools = held, nil, nil
	_, err = s.load()
	return s.failed(err)
}

// Append puts a record of the run into its agent's rolling log, in one write.
// Once it returns nil the record outlives this process.
func (s *Store) Append(r suites.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.check(&r); err != nil {
		return err
	}
	agent := s.agentOf(r.Suite)
	if err := checkAgent(agent); err != nil {
		return err
	}
	line, err := encode(&r)
	if err != nil {
		return fmt.Errorf("record %s: %w", r.Key(), err)
	}
	log := s.logs[agent]
	if log == nil {
		log = newRollingLog(s.path(rollingName, agent+linesSuffix), s.o.RollingSize, s.o.KeepDays)
		s.logs[agent] = log
	}
	return s.failed(log.append(line))
}

// check refuses what could not be taken over after a kill.
func (s *Store) check(r *suites.Record) error {
	switch {
	case s.run == nil:
		return fmt.Errorf("record %s: no run has begun", r.Key())
	case r.Suite == "" || r.ID == "":
		return fmt.Errorf("record %q: it has no suite or no ID", r.TestName)
	case r.RunID != s.run.ID:
		return fmt.Errorf("record %s is of run %q, while %q is in progress", r.Key(), r.RunID, s.run.ID)
	default:
		return nil
	}
}

func (s *Store) agentOf(suite string) string {
	if s.run != nil && s.run.Agents[suite] != "" {
		return s.run.Agents[suite]
	}
	if agents := s.state.agents[suite]; len(agents) > 0 {
		return agents[len(agents)-1]
	}
	return strings.ReplaceAll(suite, "/", "-") + "-agent"
}

// Interrupted tells what the previous process did not end; nil when nothing.
func (s *Store) Interrupted() *Interruption {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.interrupted
}

// WriteComparison replaces COMPARISON.md.
func (s *Store) WriteComparison(md []byte) error {
	return s.failed(replace(s.path(comparisonName), md))
}

// Runs lists the archived runs, newest first, those of other tools too.
func (s *Store) Runs() ([]ArchivedRun, error) { return Runs(s.o.Dir) }

// Runs lists the archived runs of a results directory, newest first. It takes
// no lock; a directory that does not exist has none.
func Runs(dir string) ([]ArchivedRun, error) {
	runs, err := archived(dir)
	if err != nil {
		return nil, fmt.Errorf("list archived runs: %w", err)
	}
	return runs, nil
}

// Close gives the directory back. A run that was not ended stays marked, for
// the next Open to take over.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, l := range s.logs {
		errs = append(errs, l.reopen())
		l.settle(2 * time.Second)
	}
	errs = append(errs, s.lock.Unlock())
	return s.failed(errors.Join(errs...))
}
