package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// Open creates the directory if needed, takes its lock, removes incomplete files of a
// killed process and takes over the records of the run that it did not end. It returns a
// *LockedError if another hookwatch uses the directory and a *WriteError if it cannot be
// written.
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
		return nil, s.wrap(err)
	}
	return s, nil
}

// Begin opens a run. A previous run that was not ended is ended first: its finished
// records become the present state. A run with the same ID as the open one replaces it.
func (s *Store) Begin(r Run) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.ID == "" {
		return errors.New("a run needs an ID")
	}
	// First, because the records of the previous run may now be in another directory.
	if err := s.reattach(); err != nil {
		return err
	}
	if s.run != nil && s.run.ID != r.ID { // otherwise the run has more cases now
		if _, err := s.resume(markerOf(*s.run)); err != nil {
			return s.wrap(err)
		}
		s.run = nil
	}
	if err := s.writeMarker(markerOf(r)); err != nil {
		return s.wrap(err)
	}
	s.run = &r
	return nil
}

// Close releases the directory. A run that was not ended stays marked, so that the next
// Open takes it over.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.closeLogs()
	s.leave()
	return s.wrap(err)
}

// Interruption returns the run that the previous process did not end, or nil.
func (s *Store) Interruption() *Interruption {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.interrupted
}

// enter opens the directory and its subdirectories, and takes its lock.
func (s *Store) enter() error {
	r := &Reader{place: s.o.Place}
	var err error
	if r.dir, err = disk.Make(s.o.Base, s.o.Dir); err != nil {
		return s.wrap(err)
	}
	if err = checkWay(r.dir); err == nil {
		err = r.enter((*disk.Dir).MakeSub)
	}
	if err == nil && (r.rolling == nil || r.archive == nil) { // it was moved between creation and opening
		err = &disk.Error{Path: r.dir.Path(), Reason: disk.Moved}
	}
	if err == nil {
		err = ignoreInGit(r.dir)
	}
	if err != nil {
		r.Close()
		return s.wrap(err)
	}
	held, pid, err := take(r.dir, lockName)
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

// leave releases the lock and the directories.
func (s *Store) leave() {
	_ = s.lock.Close()
	s.r.Close()
}

// reattach closes the log files, and opens everything again if the directory that this
// Store had locked was deleted or replaced.
func (s *Store) reattach() error {
	for _, l := range s.logs {
		if err := l.LetGo(); err != nil {
			return s.wrap(err)
		}
	}
	_, err := s.r.dir.Lstat(lockName)
	if err == nil && s.r.dir.InPlace(s.o.Base) && s.r.dir.Holds(rollingName, s.r.rolling) && s.r.dir.Holds(archiveName, s.r.archive) {
		s.r.dropMoved()
		return nil
	}
	_ = s.closeLogs() // of a missing directory
	s.leave()
	if err := s.enter(); err != nil {
		return err
	}
	s.first, s.tools = nil, nil
	if err := s.claim(); err != nil {
		return s.wrap(err)
	}
	_, err = s.load()
	return s.wrap(err)
}

// repair restores a consistent directory after the previous process was killed.
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

// removeLeftovers deletes temporary files and incomplete archive directories.
func (s *Store) removeLeftovers() error {
	for d, ours := range map[*disk.Dir]func(name string) bool{
		s.r.dir:     func(name string) bool { return slices.Contains(documents, name) || isStateFile(name) },
		s.r.rolling: isLog,
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
		case parsed && !e.IsDir(): // nothing in it is read or deleted
			_, odd := s.r.archive.Sub(e.Name())
			s.warn("%v", odd)
		case parsed && ok:
			err = errors.Join(err, s.discard(e.Name(), false))
		}
	}
	return err
}

func (s *Store) cutTails() error {
	agents, err := s.r.rollingAgents()
	if err != nil {
		return err
	}
	for _, agent := range agents {
		name := agent + Suffix
		if _, err := s.r.rolling.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			continue // it only has old files
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

// resume ends a run that its process did not end. If the archive directory exists, the run
// did end and only the steps after it are missing; the result is then nil.
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
	in := &Interruption{RunID: m.RunID, Full: m.Full, Started: m.Started, Planned: len(m.Keys)}
	for _, k := range m.Keys {
		if done[suites.Key(k)] {
			in.Finished++
		}
	}
	return in
}

// recordsOf collects a run's records from the rolling logs, in the order of writing for
// each case.
func (s *Store) recordsOf(runID string) (map[string][]suites.Record, error) {
	agents, err := s.r.rollingAgents()
	if err != nil {
		return nil, err
	}
	b := newBudget()
	byAgent := map[string][]suites.Record{}
	for _, agent := range agents {
		files, err := s.r.rollingFiles(agent + Suffix)
		if err != nil {
			return nil, err
		}
		for _, f := range files { // newest first, until a file contains only other runs
			var found []suites.Record
			others := false
			warned, err := f.Read(b, func(r suites.Record) bool {
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

// take takes the lock file of a directory for this process. The kernel releases it when
// the process ends for any reason; the PID in the file is only information. If another
// process has the lock, Take returns nil and the PID of the holder, or 0 if that is
// unknown.
func take(d *disk.Dir, name string) (l *disk.Lock, holder int, err error) {
	l, err = d.Lock(name)
	if err != nil {
		return nil, 0, err
	}
	held, err := l.Try()
	if err == nil && !held {
		pid := holderOf(d, name)
		if held = hasEnded(pid) && waitForHeirs(l); !held {
			_ = l.Close()
			return nil, pid, nil
		}
	}
	if err == nil {
		err = l.Write(strconv.Itoa(os.Getpid()) + "\n")
	}
	// On Windows a locked file cannot be written, even by the process that locked it.
	if err != nil && !(held && runtime.GOOS == "windows") {
		_ = l.Close()
		return nil, 0, err
	}
	return l, 0, nil
}

// waitForHeirs waits for a lock whose holder is dead, because a child that the holder was
// starting when it was killed keeps the lock until that child's program begins.
func waitForHeirs(l *disk.Lock) bool {
	const bound, pause = 2 * time.Second, 5 * time.Millisecond
	tick, end := time.NewTicker(pause), time.After(bound)
	defer tick.Stop()
	for {
		if held, err := l.Try(); held || err != nil {
			return held
		}
		select {
		case <-tick.C:
		case <-end:
			return false
		}
	}
}

// holderOf returns the PID in the lock file, or 0 if it cannot be read.
func holderOf(d *disk.Dir, name string) int {
	const digits = 32
	text, err := d.ReadFile(name, digits)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

// hasEnded reports whether the process has ended.
func hasEnded(pid int) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	return err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// A WriteError reports that the results directory could not be written. No file is half
// replaced because of it.
type WriteError struct {
	Dir string // the results directory
	Err error  // names the file
}

// Error returns the failure and how to fix it.
func (e *WriteError) Error() string {
	return fmt.Sprintf("cannot keep results in %s: %v (%s)", e.Dir, e.Err, e.hint())
}

// Unwrap returns the cause.
func (e *WriteError) Unwrap() error { return e.Err }

func (e *WriteError) hint() string {
	const elsewhere = "or set results.dir to a directory elsewhere"
	newer := (*NewerError)(nil)
	switch {
	case errors.As(e.Err, &newer), disk.IsRefused(e.Err):
		return elsewhere // the error itself explains the rest
	case errors.Is(e.Err, syscall.ENOSPC), errors.Is(e.Err, syscall.EDQUOT):
		return "the disk is full: free some space, lower results.keep_runs and results.keep_days, " + elsewhere
	case errors.Is(e.Err, syscall.EROFS):
		return "the file system is read-only: mount it writable " + elsewhere
	case errors.Is(e.Err, fs.ErrPermission):
		return "not permitted: check who owns it and its permissions, " + elsewhere
	case errors.Is(e.Err, syscall.ENOTDIR), errors.Is(e.Err, fs.ErrExist):
		return "a file stands where a directory must be: move it, " + elsewhere
	default:
		return "check that the directory is writable and has room, " + elsewhere
	}
}

// A LockedError reports that another hookwatch uses the results directory.
type LockedError struct {
	Dir string
	PID int // of the other hookwatch; 0 if unknown
}

// Holder describes the hookwatch that keeps the records, for a run that continues without
// them.
func (e *LockedError) Holder() string {
	if e.PID == 0 {
		return "another hookwatch keeps the records in " + e.Dir
	}
	return fmt.Sprintf("another hookwatch (PID %d) keeps the records in %s", e.PID, e.Dir)
}

// Error names the other hookwatch and how to fix it.
func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("another hookwatch is using %s: quit it first, or set results.dir to a directory of this one's own", e.Dir)
	}
	return fmt.Sprintf("another hookwatch (PID %d) is using %s: quit it first (q in its terminal, or kill %d), or set results.dir to a directory of this one's own",
		e.PID, e.Dir, e.PID)
}
