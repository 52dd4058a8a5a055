package session

import (
	"slices"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/depend"
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

// A Tracker reports whether the files a case has seen are still the same. It compares signatures
// of files, retracts verdicts of cases that may have missed a file for a moment, and recognizes
// files that the hooks write themselves. It reads no clock: callers pass the time.
type Tracker struct {
	stamps
	written
	endings
}

// NewTracker returns a tracker without a project; call Use next.
func NewTracker() *Tracker { return &Tracker{written: newWritten(), endings: make(endings)} }

// Use sets the project after it was loaded.
func (t *Tracker) Use(p *Project) { t.stamps = newStamps(p) }

// See returns the current inputs of a case, without files that hooks write.
func (t *Tracker) See(c *suites.Case) Seen { return t.fresh(c, t.Without) }

// Noticed reports whether a change was found since Selected that no batch has reported.
func (t *Tracker) Noticed() bool { return t.noticed }

// Selected records that a selection reads all files.
func (t *Tracker) Selected() { t.noticed = false }

// Recheck takes back files that may have been classified too early as written by hooks, and
// reports whether there were any.
func (t *Tracker) Recheck() bool {
	again := t.recheck()
	t.Refresh(again)
	return len(again) > 0
}

// Restored retracts the verdicts of cases that ran while one of these files, which are now
// unchanged again, may have been missing. If the file itself was written, its signature differs.
// If a parent directory was renamed and renamed back, no signature shows it.
func (t *Tracker) Restored(paths []string, now time.Time) {
	if len(paths) > 0 {
		t.retract(now, func(seen Seen) bool { return t.unseen(seen, paths) })
	}
}

// Suspect reports whether a running case must run again because one of the restored files may
// have been missing when it was read.
func (t *Tracker) Suspect(k suites.Key, seen Seen, restored []string) bool {
	return t.unseen(seen, restored) && t.suspect(k)
}

// InputsDigest returns the digest of a case's inputs, without files that hooks write.
func (t *Tracker) InputsDigest(c *suites.Case) string {
	if len(t.files) == 0 {
		return t.project.Graph.Digest(c)
	}
	return depend.InputsDigest(t.Without(t.project.Graph.Inputs(c)))
}

// Rest discards state that is no longer needed; followed are the files on which cases depend,
// sorted.
func (t *Tracker) Rest(now time.Time, followed []string) {
	t.rest(now)
	t.forget(followed)
}
