package session

import (
	"slices"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/verdict"
)

// inventory holds the built-in agents whose number of cases is fixed by the document they
// implement: a full run with fewer records is incomplete. The numbers are repeated here because
// reading the suites takes longer than the rest of a short run; a test compares them with the
// suites.
var inventory = map[string]int{"dep-agent": 29, "ml-agent": 42, "pm-agent": 32}

// Incomplete returns the agents of the inventory that have fewer records in run than they have
// cases. other is another run of the same project: an agent without a file in either run is not
// part of the project.
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

// RunOf converts a recorded run for a comparison.
func RunOf(s *record.Snapshot) verdict.Run {
	r := verdict.Run{ID: s.Environment.RunID, Records: s.Records, Env: s.Environment}
	r.Time, _ = time.Parse(suites.TimestampLayout, s.Environment.Time)
	if len(s.Records) > 0 && r.ID == "" {
		r.ID = s.Records[0].RunID
	}
	return r
}

// ChangesOf returns the changed files and sections because of which cases are selected.
func ChangesOf(selected []verdict.Selected) []Change {
	var out []Change
	for _, s := range selected {
		for _, in := range s.Changed {
			out = addChange(out, in.Path, in.Section)
		}
	}
	return out
}

func addChange(out []Change, path, section string) []Change {
	i := slices.IndexFunc(out, func(c Change) bool { return c.Path == path })
	if i < 0 {
		out = append(out, Change{Path: path})
		i = len(out) - 1
	}
	if section != "" && !slices.Contains(out[i].Sections, section) {
		out[i].Sections = append(out[i].Sections, section)
	}
	return out
}

// SectionsOf returns the changed sections of a file because of which cases are selected.
func SectionsOf(path string, selected []verdict.Selected) []string {
	for _, c := range ChangesOf(selected) {
		if c.Path == path {
			return c.Sections
		}
	}
	return nil
}
