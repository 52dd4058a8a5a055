// Package record keeps the results of runs in the results directory of a
// project:
//
//	<agent>-<UTC of the last full run>.jsonl  present state, one record per case
//	rolling/<agent>.jsonl                     every record in the order of writing
//	rolling/tools.log                         the machine's tools, one line per change
//	archive/<UTC>/                            each full run as it ended
//	runs.json                                 the order of these, independent of the clock
//	traces/<suite>/<ID>.json                  evidence: inputs and trace of a case
//	contents/<digest>                         contents of files, to compare later ones with
//	RESULTS.md COMPARISON.md environment.json of the latest run
//	inputs.json                               the inputs behind the records' digests
//	registrations.json                        where the scripts of cases are, or were last, registered
//	running.json                              the run in progress
//	.lock                                     PID of the hookwatch that writes here
//	.origin                                   ID of this results directory
//
// A record is written to the rolling log before its verdict is reported, and all
// other files are replaced as a whole, so a killed process loses nothing:
// running.json names the run whose records the next process takes over.
//
// The directory may come from a clone. Therefore nothing is written, read or deleted
// through a link, only files with known names and content are deleted, reads are
// bounded, and records that were not made here do not count as the last run.
package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// Options configures a Store.
type Options struct {
	Place
	KeepRuns    int              // number of archived runs to keep; 0 means all
	KeepDays    int              // age at which archived runs and old rolling logs are deleted; 0 means never
	RollingSize int64            // size in bytes at which a rolling log is rotated; 0 means 10 MB
	Now         func() time.Time // nil means time.Now
}

// A Store writes a results directory. It is safe for concurrent use; at most one Store in
// all processes is open on a directory.
type Store struct {
	o Options

	mu          sync.Mutex // guards the fields below
	lock        *disk.Lock
	r           *Reader
	logs        map[string]*Log // by name
	tools       []suites.Tool   // of the last line in the log of tools; nil until it is read
	run         *Run
	state       state
	interrupted *Interruption
	warnings    []string
	first       *Snapshot       // read by Open, for the first call of Snapshot
	kept        map[string]bool // archive directories that the user was warned about because they are not deleted
}

// A Run is a set of cases executed together.
type Run struct {
	ID      string
	Full    bool
	Started time.Time
	Keys    []suites.Key      // of the cases planned
	Agents  map[string]string // by suite; a suite without one keeps the agent it has, or gets "<suite>-agent"
}

// Snapshot reads the present state. Its warnings begin with the repairs by Open.
func (s *Store) Snapshot() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap := s.first
	if s.first = nil; snap == nil {
		var err error
		if snap, err = s.r.Read(); err != nil {
			snap = newSnapshot()
			snap.warn("%v", err)
		}
	}
	snap.Warnings = slices.Concat(s.warnings, snap.Warnings)
	s.warnings = nil
	return snap
}

// Warnings returns the warnings since the last call of it or of Snapshot.
func (s *Store) Warnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	warnings := s.warnings
	s.warnings = nil
	return warnings
}

func (s *Store) warn(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// Append appends a record of the run to its agent's rolling log, in one write. Once it
// returns nil the record survives the end of this process.
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
	return s.wrap(s.log(agent + Suffix).Append(line))
}

// log returns a log of the directory rolling.
func (s *Store) log(name string) *Log {
	l := s.logs[name]
	if l == nil {
		l = &Log{dir: s.r.rolling, name: name, limit: s.o.RollingSize, keepDays: s.o.KeepDays, now: s.o.Now}
		s.logs[name] = l
	}
	return l
}

// check returns an error for a record that could not be taken over after a kill.
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

// WriteComparison replaces COMPARISON.md.
func (s *Store) WriteComparison(md []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wrap(s.r.dir.Replace(comparisonName, md, disk.Synced))
}

// Runs lists the archived runs, including those of other tools, newest first.
func (s *Store) Runs() ([]ArchivedRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Runs()
}

// ReadRun reads an archived run, including those of other tools.
func (s *Store) ReadRun(run ArchivedRun) (*Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.ReadRun(run)
}

// An Interruption is a run that its process did not end. The records of the finished cases
// are part of the present state.
type Interruption struct {
	RunID    string
	Full     bool
	Started  time.Time
	Planned  int // number of cases
	Finished int // number of cases
}

func (s *Store) closeLogs() error {
	var errs []error
	for _, l := range s.logs {
		errs = append(errs, l.Close(2*time.Second))
	}
	clear(s.logs)
	return errors.Join(errs...)
}

// wrap wraps an error of writing in a WriteError; nil stays nil.
func (s *Store) wrap(err error) error {
	if failed := (*WriteError)(nil); err == nil || errors.As(err, &failed) {
		return err
	}
	return &WriteError{Dir: s.o.Dir, Err: err}
}
