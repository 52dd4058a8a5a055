package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// load reads the present state and removes files that are replaced by a newer one of the
// same agent.
func (s *Store) load() (*Snapshot, error) {
	files, err := stateFiles(s.r.dir)
	if err != nil {
		return nil, err
	}
	var foreign []stateFile
	for i, f := range files {
		if i == 0 || files[i-1].agent != f.agent {
			continue // Read handles the newest
		}
		if s.isForeign(f) {
			foreign = append(foreign, f)
		} else if err := s.r.dir.Remove(f.name); err != nil {
			return nil, err
		}
	}
	snap, err := s.r.Read()
	if err != nil {
		return nil, err
	}
	s.state = stateOf(snap)
	s.state.foreign = append(s.state.foreign, foreign...)
	return snap, nil
}

// isForeign reports whether a file in the results directory is damaged or was written by
// another tool. Unreadable files count as foreign, because these are never deleted.
func (s *Store) isForeign(f stateFile) bool {
	one := newSnapshot()
	return one.add(s.r.dir, f) != nil || one.Files[0].foreign
}

// merge makes records the present state of their cases. Its steps can be repeated: if the
// process is killed between them, the run's marker remains and Open merges again.
func (s *Store) merge(byAgent map[string][]suites.Record) error {
	if err := s.adopt(); err != nil {
		return err
	}
	left, err := s.dropMoved(byAgent)
	if err != nil {
		return err
	}
	for _, agent := range slices.Sorted(maps.Keys(byAgent)) {
		fresh := latest(byAgent[agent])
		err := s.rewrite(agent, func(old []suites.Record) ([]suites.Record, bool) { return overlay(old, fresh), true })
		if err != nil {
			return err
		}
	}
	for suite, agents := range left {
		s.state.agents[suite] = slices.DeleteFunc(s.state.agents[suite], func(a string) bool { return slices.Contains(agents, a) })
	}
	for _, agent := range slices.Sorted(maps.Keys(byAgent)) {
		for i := range byAgent[agent] {
			s.state.holds(agent, byAgent[agent][i].Suite)
		}
	}
	return nil
}

// dropMoved removes cases that now belong to another agent from the files of their suites'
// previous agents. It returns, by suite, the agents whose files have none of its cases any
// more.
func (s *Store) dropMoved(byAgent map[string][]suites.Record) (left map[string][]string, err error) {
	left = map[string][]string{}
	for was, keys := range s.movedCases(byAgent) {
		gone := map[string]bool{}
		for k := range keys {
			gone[k.Suite] = true
		}
		err := s.rewrite(was, func(old []suites.Record) ([]suites.Record, bool) {
			before := len(old)
			kept := slices.DeleteFunc(old, func(r suites.Record) bool { return keys[r.Key()] })
			for i := range kept {
				delete(gone, kept[i].Suite)
			}
			return kept, len(kept) < before
		})
		if err != nil {
			return nil, err
		}
		for suite := range gone {
			left[suite] = append(left[suite], was)
		}
	}
	return left, nil
}

// movedCases returns, by previous agent, the cases whose records now belong to another agent.
func (s *Store) movedCases(byAgent map[string][]suites.Record) map[string]map[suites.Key]bool {
	moved := map[string]map[suites.Key]bool{}
	for agent, records := range byAgent {
		for i := range records {
			for _, was := range s.state.agents[records[i].Suite] {
				if was == agent {
					continue
				}
				if moved[was] == nil {
					moved[was] = map[suites.Key]bool{}
				}
				moved[was][records[i].Key()] = true
			}
		}
	}
	return moved
}

// rewrite replaces an agent's file under its current name, if there is a change. An agent
// without a file gets the newest stamp of the others.
func (s *Store) rewrite(agent string, change func([]suites.Record) (now []suites.Record, changed bool)) error {
	if err := checkAgent(agent); err != nil {
		return err
	}
	file, ok := s.state.files[agent]
	if !ok {
		st := s.state.newest()
		if st.n == 0 {
			st = stamp{s.o.Now().UTC(), 1}
		}
		file = stateFile{agent, FileName(agent, st.String()), st}
	}
	var records []suites.Record
	warned, err := readFile(s.r.dir, file.name, newBudget(), func(r suites.Record) bool {
		records = append(records, r)
		return true
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(warned) > 0 { // damaged since it was loaded: the new file does not contain everything
		s.warnings = append(s.warnings, warned...)
		if _, err := s.setAside(stamp{s.o.Now().UTC(), 1}, []string{file.name}); err != nil {
			return err
		}
	}
	now, changed := change(records)
	if !changed {
		return nil
	}
	lines, err := encodeAll(now)
	if err != nil {
		return err
	}
	s.state.files[agent] = file
	return s.r.dir.Replace(file.name, lines, disk.Synced)
}

// A state describes the files of the present state, without their records.
type state struct {
	files   map[string]stateFile // by agent
	foreign []stateFile          // of other tools; moved to the archive before the first write
	agents  map[string][]string  // agents with cases of the suite in their files, by suite, the present one last
	known   map[string]bool      // digests in inputs.json
	most    int                  // number of digests in inputs.json above which it is pruned
}

// mostInputs returns the limit for digests in inputs.json if the records refer to so many.
func mostInputs(referred int) int { return 2*referred + 100 }

func stateOf(snap *Snapshot) state {
	st := state{files: map[string]stateFile{}, agents: map[string][]string{}, known: map[string]bool{}}
	referred := map[string]bool{}
	for f, records := range snap.ByAgent() {
		_, stamp, _ := splitName(f.Name)
		file := stateFile{f.Agent, f.Name, stamp}
		if f.foreign {
			st.foreign = append(st.foreign, file)
			continue
		}
		st.files[f.Agent] = file
		for i := range records {
			st.holds(f.Agent, records[i].Suite)
			referred[records[i].Digests.Inputs] = true
		}
	}
	st.most = mostInputs(len(referred))
	for digest := range snap.Inputs {
		st.known[digest] = true
	}
	return st
}

// holds notes agent as the present one for cases of a suite.
func (st *state) holds(agent, suite string) {
	agents := st.agents[suite]
	if len(agents) > 0 && agents[len(agents)-1] == agent {
		return
	}
	others := slices.DeleteFunc(agents, func(a string) bool { return a == agent })
	st.agents[suite] = append(others, agent)
}

func (st *state) newest() stamp {
	var newest stamp
	for _, f := range st.files {
		if f.st.compare(newest) > 0 {
			newest = f.st
		}
	}
	return newest
}

// latest keeps the last record of each case, at the position of its first.
func latest(records []suites.Record) []suites.Record {
	return overlay(nil, records)
}

// overlay replaces old records by fresh ones of the same case, and appends those of new
// cases.
func overlay(old, fresh []suites.Record) []suites.Record {
	at := make(map[suites.Key]int, len(old)+len(fresh))
	var result []suites.Record
	for _, records := range [][]suites.Record{old, fresh} {
		for _, r := range records {
			if i, ok := at[r.Key()]; ok {
				result[i] = r
				continue
			}
			at[r.Key()] = len(result)
			result = append(result, r)
		}
	}
	return result
}

// toolsLog is the file in rolling that lists the tools of the machine: a line each time
// one of them changed. It exists because environment.json only has the tools of the latest
// run and only full runs are archived.
const toolsLog = "tools.log"

// logTools appends the environment's tools if they differ from the last line.
func (s *Store) logTools(env suites.Environment) error {
	if s.tools == nil {
		s.tools = s.r.latestTools()
	}
	if len(env.Tools) == 0 || slices.Equal(s.tools, env.Tools) {
		return nil
	}
	env.CaseTools = nil // the tools of each case are in its records and other environments
	line, err := json.Marshal(env)
	if err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	if err := s.log(toolsLog).Append(append(line, '\n')); err != nil {
		return err
	}
	s.tools = slices.Clone(env.Tools)
	return nil
}

// Tools calls the Reader's method.
func (s *Store) Tools() ([]suites.Environment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Tools()
}

// Tools returns the environments in the log of tools, the latest last. It returns none if
// there is no log.
func (r *Reader) Tools() ([]suites.Environment, error) {
	files, err := r.rollingFiles(toolsLog)
	if err != nil {
		return nil, fmt.Errorf("read tools: %w", err)
	}
	var all []suites.Environment
	b := newBudget()
	for _, f := range slices.Backward(files) {
		of, err := f.ReadEnvironments(b)
		if err != nil {
			return nil, fmt.Errorf("read tools: %w", err)
		}
		all = append(all, of...)
	}
	return all, nil
}

// latestTools returns the tools of the last line. It ignores read errors, because then
// logTools only repeats a line.
func (r *Reader) latestTools() []suites.Tool {
	files, _ := r.rollingFiles(toolsLog)
	for _, f := range files {
		if of, _ := f.ReadEnvironments(newBudget()); len(of) > 0 {
			return of[len(of)-1].Tools
		}
	}
	return nil
}
