package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
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
	text, err := EncodeDocument(env)
	if err != nil {
		return "", err
	}
	files := map[string][]byte{environmentName: text, resultsName: results}
	for agent, records := range byAgent {
		if files[fileName(agent, st)], err = EncodeAll(records); err != nil {
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
		data, err := d.ReadFile(name, HeldLimit)
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
	return name == resultsName || slices.Contains(ownDocuments, name) || isStateFile(name)
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
