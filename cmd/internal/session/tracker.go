package session

import (
	"time"

	"hookwatch/suites"
	"hookwatch/suites/depend"
)

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
