package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// Stamp returns the stamp that EndFull uses for a run that ends at the given time: it
// names the archive directory and ends the names of the files.
func (s *Store) Stamp(at time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nextStamp(at).String()
}

// FileName returns the name of an agent's file with the given stamp.
func FileName(agent, stamp string) string { return agent + "-" + stamp + Suffix }

// nextStamp returns the first free stamp within the second of at.
func (s *Store) nextStamp(at time.Time) stamp {
	st := stamp{at.UTC().Truncate(time.Second), 1}
	for {
		if _, err := s.r.archive.Lstat(st.String()); err != nil {
			return st
		}
		st.n++
	}
}

// archive writes the run's directory. Its last rename ends the run: before it the run
// counts as interrupted, after it finish can be repeated.
func (s *Store) archive(byAgent map[string][]suites.Record, env suites.Environment, results []byte, at time.Time) (name string, err error) {
	st := s.nextStamp(at)
	text, err := encodeDocument(env)
	if err != nil {
		return "", err
	}
	files := map[string][]byte{environmentName: text, resultsName: results}
	for agent, records := range byAgent {
		if files[FileName(agent, st.String())], err = encodeAll(records); err != nil {
			return "", err
		}
	}
	pending := pendingPrefix + st.String()
	d, err := s.r.archive.NewSub(pending)
	if err != nil {
		return "", err
	}
	for name, data := range files {
		err = errors.Join(err, d.Replace(name, data, disk.Synced))
	}
	err = errors.Join(err, s.noteOrder(st))
	_ = d.Close() // before the rename, because Windows does not rename open directories
	if err == nil {
		err = s.r.archive.Rename(pending, s.r.archive, st.String())
	}
	if err != nil {
		return "", errors.Join(err, s.discard(pending, false))
	}
	return st.String(), nil
}

// noteOrder lists a run as the last of all archived runs. It is called before the run is
// archived; a listed stamp without a directory is ignored.
func (s *Store) noteOrder(st stamp) error {
	runs, err := s.r.Runs()
	if err != nil {
		return err
	}
	var stamps []string
	for _, run := range slices.Backward(runs) {
		stamps = append(stamps, run.Stamp)
	}
	text, err := json.Marshal(append(stamps, st.String()))
	if err != nil {
		return err
	}
	return s.r.dir.Replace(runsName, text, disk.Synced)
}

// finish makes an archived run the present state. Every step can be repeated.
func (s *Store) finish(stamp string) error {
	current, err := s.bringBack(stamp)
	if err != nil {
		return err
	}
	old, err := stateFiles(s.r.dir)
	if err != nil {
		return err
	}
	for _, f := range old {
		if !current[f.name] && !s.isForeign(f) {
			if err := s.r.dir.Remove(f.name); err != nil {
				return err
			}
		}
	}
	return errors.Join(s.r.dir.Remove(comparisonName), s.removeMarker())
}

// bringBack copies an archived run's files to the present state and returns the names of
// its record files.
func (s *Store) bringBack(stamp string) (records map[string]bool, err error) {
	d, err := s.r.archive.Sub(stamp)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	files, err := stateFiles(d)
	if err != nil {
		return nil, err
	}
	records = map[string]bool{}
	names := []string{resultsName, environmentName}
	for _, f := range files {
		records[f.name] = true
		names = append(names, f.name)
	}
	for _, name := range names {
		data, err := d.ReadFile(name, heldLimit)
		if err != nil {
			return nil, err
		}
		if err := s.r.dir.Replace(name, data, disk.Synced); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// retire deletes archived runs that are too many or too old, but never the latest and none
// written by another tool. Runs dated in the future, left by a wrong clock or a clone, do
// not count towards KeepRuns.
func (s *Store) retire(latest string, at time.Time) error {
	runs, err := s.r.Runs()
	if err != nil {
		return err
	}
	runs = slices.DeleteFunc(runs, func(r ArchivedRun) bool { return r.Stamp == latest || r.At.After(at.Add(time.Minute)) })
	oldest := at.AddDate(0, 0, -s.o.KeepDays)
	var errs []error
	for i, r := range runs {
		tooMany := s.o.KeepRuns > 0 && i+1 >= s.o.KeepRuns // the latest is one of those kept
		if tooMany || s.o.KeepDays > 0 && r.At.Before(oldest) {
			errs = append(errs, s.discard(r.Stamp, true))
		}
	}
	return errors.Join(errs...)
}

// discard deletes a directory of the archive if it contains only files that hookwatch
// writes there and, if the run has ended, an environment that names the run. Other
// directories are kept; keep warns about each of them once.
func (s *Store) discard(name string, ended bool) error {
	d, err := s.r.archive.Sub(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	files, foreign, err := contentOf(d)
	if foreign == "" && ended && archivedRunID(d) == "" {
		foreign = environmentName // it is missing, or another tool's
	}
	if err == nil && foreign != "" {
		// No warning about other tools' runs.
		if !ended || foreign != environmentName || d.CheckFile(foreign) != nil {
			s.keep(name, d, foreign)
		}
		return d.Close()
	}
	if err == nil && ended { // so that no part of it counts as a run if the process is killed
		_ = d.Close() // because Windows does not rename open directories
		pending := pendingPrefix + name
		return errors.Join(s.r.archive.Rename(name, s.r.archive, pending), s.discard(pending, false))
	}
	for _, f := range files {
		err = errors.Join(err, d.Remove(f))
	}
	if err = errors.Join(err, d.Close()); err != nil {
		return err
	}
	return s.r.archive.RemoveDir(name)
}

// contentOf returns the files of a run's directory, and the first entry that hookwatch
// does not write.
func contentOf(d *disk.Dir) (files []string, foreign string, err error) {
	all, err := d.ReadDir()
	for _, e := range all {
		of, leftover := disk.IsLeftover(e.Name())
		switch {
		case !e.Type().IsRegular() || !isArchived(e.Name()) && !(leftover && isArchived(of)):
			return nil, e.Name(), err
		default:
			files = append(files, e.Name())
		}
	}
	return files, "", err
}

// isArchived reports whether name is one of the file names in a run's directory.
func isArchived(name string) bool {
	return name == resultsName || name == registrationsName || slices.Contains(ownDocuments, name) || isStateFile(name)
}

// keep warns, once, about a directory that was not deleted.
func (s *Store) keep(name string, d *disk.Dir, foreign string) {
	if s.kept[name] {
		return
	}
	s.kept[name] = true
	odd := d.CheckFile(foreign)
	if odd == nil {
		odd = fmt.Errorf("%s was not written by hookwatch", filepath.Join(d.Path(), foreign))
	}
	s.warn("%s is not deleted, for it holds other things than a run: %v", d.Path(), odd)
}

// rollingAgents lists the agents that have a log.
func (r *Reader) rollingAgents() ([]string, error) {
	if r.rolling == nil {
		return nil, nil
	}
	return agents(r.rolling)
}

// rollingFiles lists the files of the log called name, newest first.
func (r *Reader) rollingFiles(name string) ([]LogFile, error) {
	if r.rolling == nil {
		return nil, nil
	}
	return files(r.rolling, name)
}

// History yields every record of the rolling log, oldest first for each agent, until yield
// returns false. The warnings name lines and files that could not be read.
func (r *Reader) History(yield func(agent string, r suites.Record) bool) ([]string, error) {
	agents, err := r.rollingAgents()
	if err != nil {
		return nil, err
	}
	var warned []string
	b, more := newBudget(), true
	for _, agent := range agents {
		files, err := r.rollingFiles(agent + Suffix)
		if err != nil {
			return warned, err
		}
		for _, f := range slices.Backward(files) {
			w, err := f.Read(b, func(r suites.Record) bool {
				more = yield(agent, r)
				return more
			})
			warned = append(warned, w...)
			if err != nil || !more || b.IsSpent() {
				return warned, err
			}
		}
	}
	return warned, nil
}

// A Past is everything on record for a project, from the rolling log, the archive and the
// present state, without the output of cases.
type Past struct {
	Records      []suites.Record      // by time; each verdict once
	Environments []suites.Environment // of the runs that were kept, latest first; then those of the log of tools
	Warnings     []string

	known  map[verdictID]bool
	budget *Budget
}

// Past reads everything on record. If that exceeds the budget, it keeps the latest.
func (r *Reader) Past() (*Past, error) {
	p := &Past{known: map[verdictID]bool{}, budget: newBudget()}
	if err := p.addRolling(r); err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	present, err := r.Read()
	if err != nil {
		return nil, err
	}
	p.add(present)
	runs, err := r.Runs()
	if err != nil {
		return nil, err
	}
	for i, run := range runs {
		if p.budget.IsSpent() {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s and %d older runs: not read: %s", run.Dir, len(runs)-i-1, p.budget))
			break
		}
		s, err := r.readRun(run, p.budget)
		if err != nil {
			return nil, err
		}
		p.add(s)
	}
	logged, err := r.Tools()
	if err != nil {
		return nil, err
	}
	slices.Reverse(logged)
	p.Environments = append(p.Environments, logged...)
	slices.SortStableFunc(p.Records, func(a, b suites.Record) int { return strings.Compare(a.Timestamp, b.Timestamp) })
	return p, nil
}

// addRolling adds the records of the rolling log. It reads the latest files first, so that
// these fit the budget.
func (p *Past) addRolling(r *Reader) error {
	agents, err := r.rollingAgents()
	if err != nil {
		return err
	}
	for _, agent := range agents {
		files, err := r.rollingFiles(agent + Suffix)
		if err != nil {
			return err
		}
		var pieces [][]suites.Record
		for _, f := range files {
			from := len(p.Records)
			warned, err := f.Read(p.budget, func(r suites.Record) bool {
				p.keep(&r)
				return true
			})
			p.Warnings = append(p.Warnings, warned...)
			if err != nil {
				return err
			}
			pieces = append(pieces, slices.Clone(p.Records[from:]))
			p.Records = p.Records[:from]
			if p.budget.IsSpent() {
				break
			}
		}
		// Back in the order of writing, which matters for records of the same second.
		for _, piece := range slices.Backward(pieces) {
			p.Records = append(p.Records, piece...)
		}
	}
	return nil
}

func (p *Past) keep(r *suites.Record) {
	kept := *r
	kept.ActualOutput, kept.ActualStderr, kept.InputSummary, kept.Changes, kept.Stopped = "", "", "", nil, nil
	p.Records = append(p.Records, kept)
	p.known[verdictOf(r)] = true
}

// add adds records that are not in the rolling log, because their file was deleted by age
// or another tool wrote the archive.
func (p *Past) add(s *Snapshot) {
	for i := range s.Records {
		if !p.known[verdictOf(&s.Records[i])] {
			p.keep(&s.Records[i])
		}
	}
	if len(s.Environment.Tools) > 0 {
		p.Environments = append(p.Environments, s.Environment)
	}
	p.Warnings = append(p.Warnings, s.Warnings...)
}

// A verdictID is equal for records of the same verdict in different files.
type verdictID struct{ suite, id, hook, name, run, at string }

func verdictOf(r *suites.Record) verdictID {
	return verdictID{r.Suite, r.ID, r.Hook, r.TestName, r.RunID, r.Timestamp}
}
