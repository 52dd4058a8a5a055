// Package freshness tells whether what a case saw is still what is there: by stamps of
// its files, by verdicts that are taken back because a file came and went unseen, and by
// files that the hooks write themselves. It looks at files and never at a clock.
package session

import (
	"time"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/depend"
)

// A Tracker follows what a project's cases saw.
type Tracker struct {
	stamps
	written
	endings
}

// New makes a tracker for no project; see Use.
func NewTracker() *Tracker { return &Tracker{written: newWritten(), endings: make(endings)} }

// Use has the tracker follow a project as it was read.
func (t *Tracker) Use(p *project.Project) { t.stamps = newStamps(p) }

// See looks at the inputs of a case as they are now, but for what hooks write.
func (t *Tracker) See(c *suites.Case) Seen { return t.fresh(c, t.Without) }

// Noticed reports whether something was seen to have changed since Selected that
// nobody told of.
func (t *Tracker) Noticed() bool { return t.noticed }

// Selected notes that a selection looks at all files.
func (t *Tracker) Selected() { t.noticed = false }

// Recheck takes back what was too soon held to be written by hooks, and reports
// whether there was anything.
func (t *Tracker) Recheck() bool {
	again := t.recheck()
	t.Refresh(again)
	return len(again) > 0
}

// Restored takes back verdicts of cases that ran while a file of theirs, which is
// as it was again, may have been missing. Where the file itself was written its
// stamp tells; where a directory on its way was renamed and renamed back, nothing
// does.
func (t *Tracker) Restored(paths []string, now time.Time) {
	if len(paths) > 0 {
		t.retract(now, func(seen Seen) bool { return t.unseen(seen, paths) })
	}
}

// Suspect reports whether a running case is to be run anew, for it may have seen that
// one of the restored files was missing.
func (t *Tracker) Suspect(k suites.Key, seen Seen, restored []string) bool {
	return t.unseen(seen, restored) && t.suspect(k)
}

// InputsDigest is the digest of a case's inputs, but for what hooks write.
func (t *Tracker) InputsDigest(c *suites.Case) string {
	if len(t.files) == 0 {
		return t.project.Graph.Digest(c)
	}
	return depend.InputsDigest(t.Without(t.project.Graph.Inputs(c)))
}

// Rest gives up what nobody can ask for any more; followed are the files that cases
// depend on, sorted.
func (t *Tracker) Rest(now time.Time, followed []string) {
	t.rest(now)
	t.forget(followed)
}
