package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// EndSelected ends a run of selected cases: its records become the present state of those
// cases, in the existing files. inputs maps each digests.inputs of the records to the
// inputs behind it. After an error the run is still open and the next Begin or Open ends
// it, except if only the log of tools could not be written: then the run has ended.
func (s *Store) EndSelected(records []suites.Record, inputs map[string][]suites.Input, env suites.Environment) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	byAgent, err := s.ending(records)
	if err != nil {
		return err
	}
	if err := s.addInputs(inputs); err != nil {
		return s.wrap(err)
	}
	if err := errors.Join(s.merge(byAgent), s.tidyInputs()); err != nil {
		return s.wrap(err)
	}
	env = s.environment(env, s.o.Now())
	unlogged := s.logTools(env)
	text, err := encodeDocument(env)
	if err != nil {
		return err
	}
	if err := s.r.dir.Replace(environmentName, text, disk.Synced); err != nil {
		return s.wrap(err)
	}
	return errors.Join(s.endRun(s.removeMarker()), s.wrap(unlogged))
}

// EndFull ends a full run: its records become the whole present state under a new stamp,
// and archive/<stamp> appears with the records, RESULTS.md and the environment.
// COMPARISON.md is removed until WriteComparison, because it describes other runs.
// Archived runs that are too many or too old are deleted.
func (s *Store) EndFull(records []suites.Record, inputs map[string][]suites.Input, env suites.Environment, results []byte, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	byAgent, err := s.ending(records)
	if err != nil {
		return err
	}
	if err := s.adopt(); err != nil {
		return s.wrap(err)
	}
	if err := s.addInputs(inputs); err != nil {
		return s.wrap(err)
	}
	env = s.environment(env, at)
	unlogged := s.logTools(env)
	stamp, err := s.archive(byAgent, env, results, at)
	if err != nil {
		return s.wrap(err)
	}
	if err := s.finish(stamp); err != nil {
		return s.wrap(err)
	}
	present, err := s.load()
	if err != nil {
		return s.wrap(err)
	}
	return errors.Join(s.endRun(errors.Join(s.pruneInputs(present.Records), s.retire(stamp, at))), s.wrap(unlogged))
}

// ending groups the records of the open run by agent, with one record per case.
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
	return byAgent, s.reattach()
}

func (s *Store) endRun(err error) error {
	s.first = nil
	if err == nil {
		s.run = nil
	}
	return s.wrap(err)
}

func (s *Store) environment(env suites.Environment, at time.Time) suites.Environment {
	env.RunID = s.run.ID
	env.Time = cmp.Or(env.Time, at.UTC().Format(suites.TimestampLayout))
	return env
}

// addInputs adds inputs of new digests to inputs.json.
func (s *Store) addInputs(inputs map[string][]suites.Input) error {
	fresh := maps.Clone(inputs)
	maps.DeleteFunc(fresh, func(d string, _ []suites.Input) bool { return s.state.known[d] })
	if len(fresh) == 0 {
		return nil
	}
	return s.writeInputs(func(all map[string][]suites.Input) { maps.Copy(all, fresh) })
}

// tidyInputs prunes inputs.json once it has more than twice the digests that the present
// state refers to, because each run of selected cases adds some and full runs may be rare.
func (s *Store) tidyInputs() error {
	if len(s.state.known) <= s.state.most {
		return nil
	}
	present, err := s.r.Read()
	if err != nil {
		return err
	}
	if err := s.pruneInputs(present.Records); err != nil {
		return err
	}
	s.state.most = mostInputs(len(s.state.known))
	return nil
}

// pruneInputs drops digests that no record of the present state refers to.
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
	if _, err := s.readOwn(inputsName, &all); err != nil {
		return err
	}
	if all == nil { // null
		all = map[string][]suites.Input{}
	}
	change(all)
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if err := s.r.dir.Replace(inputsName, text, disk.Synced); err != nil {
		return err
	}
	clear(s.state.known)
	for digest := range all {
		s.state.known[digest] = true
	}
	return nil
}

// An ArchivedRun is a full run in the archive. ReadRun reads its records.
type ArchivedRun struct {
	Dir   string    // its directory
	Stamp string    // the directory's name
	At    time.Time // when it ended, whole seconds, UTC
	st    stamp
}

// runsName lists the stamps of archived runs in the order in which they ended. The stamps
// alone do not show it, because the clock may have been set back between two runs.
const runsName = "runs.json"

// Runs lists the archived runs, including those of other tools, the latest first.
func (r *Reader) Runs() ([]ArchivedRun, error) {
	all, err := entries(r.archive)
	if err != nil {
		return nil, fmt.Errorf("list archived runs: %w", err)
	}
	var runs []ArchivedRun
	for _, e := range all {
		if st, ok := parseStamp(e.Name()); ok && e.IsDir() {
			runs = append(runs, ArchivedRun{Dir: filepath.Join(r.archive.Path(), e.Name()), Stamp: e.Name(), At: st.at, st: st})
		}
	}
	slices.SortFunc(runs, func(a, b ArchivedRun) int { return b.st.compare(a.st) })
	r.inOrder(runs)
	return runs, nil
}

// inOrder reorders runs, which are sorted by stamp with the newest first, so that listed
// runs are in the order in which they ended. Runs that are not listed stay in place, and
// so do all of them if the list is missing or unreadable.
func (r *Reader) inOrder(runs []ArchivedRun) {
	if r.dir == nil || len(runs) < 2 {
		return
	}
	var stamps []string
	if text, err := r.dir.ReadFile(runsName, DocumentLimit); err != nil || ParseJSON(text, &stamps) != nil {
		return
	}
	place := make(map[string]int, len(stamps))
	for i, st := range stamps {
		place[st] = i
	}
	var at []int
	var listed []ArchivedRun
	for i, run := range runs {
		if _, ok := place[run.Stamp]; ok {
			at, listed = append(at, i), append(listed, run)
		}
	}
	slices.SortFunc(listed, func(a, b ArchivedRun) int { return cmp.Compare(place[b.Stamp], place[a.Stamp]) })
	for i, run := range listed {
		runs[at[i]] = run
	}
}

// A marker is the content of running.json.
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

// writeMarker does not sync, because the first hook of the run would wait for it, and a
// marker lost in a power cut only costs one "was interrupted".
func (s *Store) writeMarker(m marker) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return s.r.dir.Replace(markerName, text, disk.Unsynced)
}

func (s *Store) removeMarker() error { return s.r.dir.Remove(markerName) }

func (s *Store) readMarker() (m marker, ok bool, err error) {
	ok, err = s.readOwn(markerName, &m)
	if ok && m.RunID == "" {
		return m, false, s.removeMarker()
	}
	return m, ok, err
}
