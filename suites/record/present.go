package record

import (
	"slices"

	"hookwatch/suites"
)

// A state remembers where the present state lies, without its records.
type state struct {
	files   map[string]stateFile // by agent
	foreign []stateFile          // of other tools; moved to the archive before the first write
	agents  map[string][]string  // suite -> those whose files hold cases of it, the present one last
	known   map[string]bool      // digests that inputs.json explains
	most    int                  // how many of them there may be before it is pruned
}

// mostInputs is how much inputs.json may explain where so much is referred to.
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

// holds notes that an agent's file is the one for cases of a suite.
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

// latest keeps each case's last record, at the place of its first.
func latest(records []suites.Record) []suites.Record {
	return overlay(nil, records)
}

// overlay puts fresh records in the place of old ones of the same case, and
// those of new cases at the end.
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
