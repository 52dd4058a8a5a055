package session

import (
	"time"

	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/verdict"
)

// inventory holds the agents of the built-in suites whose number of cases is fixed by
// the document that they carry out: a full run without all of their records is not
// complete. The numbers are stated here because reading the suites takes longer than
// the rest of a short run; a test compares them with the suites.
var inventory = map[string]int{"dep-agent": 29, "ml-agent": 42, "pm-agent": 32}

// Incomplete lists the agents of the inventory that left fewer records in run than
// they have cases. other is another run of the same project: an agent without a file
// in either run is not part of the project.
func Incomplete(run, other *record.Snapshot) []string {
	expected := map[string]int{}
	agents := map[*suites.Record]string{}
	for _, side := range []*record.Snapshot{run, other} {
		for f, records := range side.ByAgent() {
			if n := inventory[f.Agent]; n > 0 {
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
