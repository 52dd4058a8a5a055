package filing

import (
	"time"

	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/record"
	"hookwatch/suites/verdict"
)

// inventory are the suites whose number of cases is fixed by the document that
// they carry out: a full run without all of their records is not whole.
var inventory = []string{"dep", "ml", "pm"}

// Incomplete says of a run which agents of the inventory left fewer records than
// they have cases. Beside it stands another run of the project: an agent that has
// no file in either is none of the project's.
func Incomplete(run, beside *record.Snapshot) []string {
	all, err := catalog.Builtin()
	if err != nil {
		return nil // they cannot be run either
	}
	counts := map[string]int{}
	for _, s := range all {
		for _, name := range inventory {
			if s.Name == name {
				counts[s.Agent] = len(s.Cases)
			}
		}
	}
	expected := map[string]int{}
	agents := map[*suites.Record]string{}
	for _, side := range []*record.Snapshot{run, beside} {
		for f, records := range side.ByAgent() {
			if n := counts[f.Agent]; n > 0 {
				expected[f.Agent] = n
			}
			for i := range records {
				agents[&records[i]] = f.Agent
			}
		}
	}
	return verdict.CheckCounts(run.Records, func(r *suites.Record) string { return agents[r] }, expected)
}

// RunOf makes a recorded run ready to be compared.
func RunOf(s *record.Snapshot) verdict.Run {
	r := verdict.Run{ID: s.Environment.RunID, Records: s.Records, Env: s.Environment}
	r.Time, _ = time.Parse(suites.TimestampLayout, s.Environment.Time)
	if len(s.Records) > 0 && r.ID == "" {
		r.ID = s.Records[0].RunID
	}
	return r
}
