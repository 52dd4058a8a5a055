package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
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
	if err := errors.Join(s.merge(byAgent), s.tidyInputs()); err != nil {
		return s.failed(err)
	}
	env = s.environment(env, s.o.Now())
	unlogged := s.logTools(env)
	text, err := EncodeDocument(env)
	if err != nil {
		return err
	}
	if err := s.r.dir.Replace(environmentName, text, disk.Synced); err != nil {
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
	stamp, err := s.archive(byAgent, env, results, at)
	if err != nil {
		return s.failed(err)
	}
	if err := s.finish(stamp); err != nil {
		return s.failed(err)
	}
	present, err := s.load()
	if err != nil {
		return s.failed(err)
	}
	return errors.Join(s.ended(errors.Join(s.pruneInputs(present.Records), s.retire(stamp, at))), s.failed(unlogged))
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
	return byAgent, s.reattach()
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

// addInputs has inputs.json explain these digests too.
func (s *Store) addInputs(inputs map[string][]suites.Input) error {
	fresh := maps.Clone(inputs)
	maps.DeleteFunc(fresh, func(d string, _ []suites.Input) bool { return s.state.known[d] })
	if len(fresh) == 0 {
		return nil
	}
	return s.writeInputs(func(all map[string][]suites.Input) { maps.Copy(all, fresh) })
}

// tidyInputs prunes inputs.json once it explains twice what the present state refers
// to: each run of selected cases adds to it, and full ones may be rare.
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
