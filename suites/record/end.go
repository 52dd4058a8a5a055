package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hookwatch/suites"
)

// EndSelected ends a run of selected cases: its records become the present
// state of those cases, in files of the same names. Inputs explain the
// records' digests.inputs. After an error the run is still open; the next
// Begin or Open ends it. Only that the log of tools cannot be written keeps it
// from nothing else.
func (s *Store) EndSelected(records []suites.Record, inputs map[string][]suites.Input, env suites.Environment) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	byAgent, err := s.ending(records)
	if err != nil {
		return err
	}
	if err := s.addInputs(inputs); err != nil {
		return s.failed(err)
	}
	if err := s.merge(byAgent); err != nil {
		return s.failed(err)
	}
	env = s.environment(env, s.o.Now())
	unlogged := s.logTools(env)
	text, err := encodeDocument(env)
	if err != nil {
		return err
	}
	if err := replace(s.path(environmentName), text); err != nil {
		return s.failed(err)
	}
	return errors.Join(s.ended(s.removeMarker()), s.failed(unlogged))
}

// EndFull ends a full run: its records become the whole present state under a
// new stamp, and archive/<stamp> appears with them, with RESULTS.md and with
// the environment. COMPARISON.md, which speaks of other runs, goes away until
// WriteComparison. Of the archived runs those go that are too many or too old.
func (s *Store) EndFull(records []suites.Record, inputs map[string][]suites.Input, env suites.Environment, results []byte, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	byAgent, err := s.ending(records)
	if err != nil {
		return err
	}
	if err := s.adopt(); err != nil {
		return s.failed(err)
	}
	if err := s.addInputs(inputs); err != nil {
		return s.failed(err)
	}
	env = s.environment(env, at)
	unlogged := s.logTools(env)
	dir, err := s.archive(byAgent, env, results, at)
	if err != nil {
		return s.failed(err)
	}
	if err := s.finish(dir); err != nil {
		return s.failed(err)
	}
	present, err := s.load()
	if err != nil {
		return s.failed(err)
	}
	return errors.Join(s.ended(errors.Join(s.pruneInputs(present.Records), s.retire(dir, at))), s.failed(unlogged))
}

// ending groups the records of the open run by agent, each case once.
func (s *Store) ending(records []suites.Record) (map[string][]suites.Record, error) {
	byAgent := map[string][]suites.Record{}
	for i := range records {
		if err := s.check(&records[i]); err != nil {
			return nil, err
		}
		agent := s.agentOf(records[i].Suite)
		byAgent[agent] = append(byAgent[agent], records[i])
	}
	for agent, list := range byAgent {
		if err := checkAgent(agent); err != nil {
			return nil, err
		}
		byAgent[agent] = latest(list)
	}
	if s.run == nil {
		return nil, errors.New("end of a run: no run has begun")
	}
	return byAgent, nil
}

func (s *Store) ended(err error) error {
	s.first = nil
	if err == nil {
		s.run = nil
	}
	return s.failed(err)
}

func (s *Store) environment(env suites.Environment, at time.Time) suites.Environment {
	env.RunID = s.run.ID
	env.Time = cmp.Or(env.Time, at.UTC().Format(suites.TimestampLayout))
	return env
}

// Stamp gives the stamp that EndFull gives to a run that ends at the time
// given: its archive directory, and the end of its files' names.
func (s *Store) Stamp(at time.Time) string { return s.nextStamp(at).String() }

// FileName is the name of an agent's file with that stamp.
func FileName(agent, stamp string) string { return agent + "-" + stamp + linesSuffix }

// nextStamp finds the first free stamp of that second.
func (s *Store) nextStamp(at time.Time) stamp {
	st := stamp{at.UTC().Truncate(time.Second), 1}
	for {
		if _, err := os.Lstat(s.path(archiveName, st.String())); err != nil {
			return st
		}
		st.n++
	}
}

// archive makes the run's directory. Its last rename is what ends the run:
// before it the run is one that was interrupted, after it finish can be redone.
func (s *Store) archive(byAgent map[string][]suites.Record, env suites.Environment, results []byte, at time.Time) (dir string, err error) {
	st := s.nextStamp(at)
	pending := s.path(archiveName, pendingPrefix+st.String())
	defer func() {
		if err != nil {
			_ = os.RemoveAll(pending)
		}
	}()
	if err := os.Mkdir(pending, 0o755); err != nil {
		return "", err
	}
	text, err := encodeDocument(env)
	if err != nil {
		return "", err
	}
	files := map[string][]byte{environmentName: text, resultsName: results}
	for agent, records := range byAgent {
		if files[fileName(agent, st)], err = encodeAll(records); err != nil {
			return "", err
		}
	}
	for name, data := range files {
		if err := replace(filepath.Join(pending, name), data); err != nil {
			return "", err
		}
	}
	dir = s.path(archiveName, st.String())
	return dir, os.Rename(pending, dir)
}

// finish makes an archived run the present state. Every step may be repeated.
func (s *Store) finish(dir string) error {
	files, err := stateFiles(dir)
	if err != nil {
		return err
	}
	current := map[string]bool{}
	names := []string{resultsName, environmentName}
	for _, f := range files {
		current[f.name] = true
		names = append(names, f.name)
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := replace(s.path(name), data); err != nil {
			return err
		}
	}
	old, err := stateFiles(s.o.Dir)
	if err != nil {
		return err
	}
	for _, f := range old {
		if !current[f.name] && !s.isForeign(f) {
			if err := s.remove(f.name); err != nil {
				return err
			}
		}
	}
	return errors.Join(s.remove(comparisonName), s.removeMarker())
}

func archivedRunID(dir string) string {
	var env suites.Environment
	text, err := os.ReadFile(filepath.Join(dir, environmentName))
	if err != nil || json.Unmarshal(text, &env) != nil {
		return ""
	}
	return env.RunID
}

// retire deletes archived runs that are too many or too old, never the latest.
func (s *Store) retire(latest string, at time.Time) error {
	runs, err := archived(s.o.Dir)
	if err != nil {
		return err
	}
	runs = slices.DeleteFunc(runs, func(r ArchivedRun) bool { return r.Dir == latest })
	oldest := at.AddDate(0, 0, -s.o.KeepDays)
	var errs []error
	for i, r := range runs {
		tooMany := s.o.KeepRuns > 0 && i+1 >= s.o.KeepRuns // the latest is one of those kept
		if tooMany || s.o.KeepDays > 0 && r.At.Before(oldest) {
			errs = append(errs, os.RemoveAll(r.Dir))
		}
	}
	return errors.Join(errs...)
}

// addInputs has inputs.json explain these digests too.
func (s *Store) addInputs(inputs map[string][]suites.Input) error {
	fresh := maps.Clone(inputs)
	maps.DeleteFunc(fresh, func(d string, _ []suites.Input) bool { return s.state.known[d] })
	if len(fresh) == 0 {
		return nil
	}
	return s.writeInputs(func(all map[string][]suites.Input) { maps.Copy(all, fresh) })
}

// pruneInputs drops what no record of the present state refers to.
func (s *Store) pruneInputs(present []suites.Record) error {
	used := map[string]bool{}
	for i := range present {
		used[present[i].Digests.Inputs] = true
	}
	for digest := range s.state.known {
		if !used[digest] {
			return s.writeInputs(func(all map[string][]suites.Input) {
				maps.DeleteFunc(all, func(d string, _ []suites.Input) bool { return !used[d] })
			})
		}
	}
	return nil
}

func (s *Store) writeInputs(change func(map[string][]suites.Input)) error {
	all := map[string][]suites.Input{}
	text, err := os.ReadFile(s.path(inputsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if json.Unmarshal(text, &all) != nil || all == nil { // absent or spoilt: begin anew
		all = map[string][]suites.Input{}
	}
	change(all)
	if text, err = json.Marshal(all); err != nil {
		return err
	}
	if err := replace(s.path(inputsName), text); err != nil {
		return err
	}
	clear(s.state.known)
	for digest := range all {
		s.state.known[digest] = true
	}
	return nil
}
