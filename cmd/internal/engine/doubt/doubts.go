// Package doubt holds what exists only to doubt that a case saw what is there: stamps
// of its files, verdicts that are taken back because a file came and went unseen, and
// files that the hooks write themselves. It looks at files and never at a clock.
package doubt

import (
	"time"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/depend"
)

// Doubts are those about a project's cases.
type Doubts struct {
	stamps
	written
	endings
}

// New makes doubts about no project; see Use.
func New() *Doubts { return &Doubts{written: newWritten(), endings: make(endings)} }

// Use has the doubts be about a project as it was read.
func (d *Doubts) Use(p *project.Project) { d.stamps = newStamps(p) }

// See looks at the inputs of a case as they are now, but for what hooks write.
func (d *Doubts) See(c *suites.Case) Seen { return d.fresh(c, d.Without) }

// Noticed reports whether something was seen to have changed since Selected that
// nobody told of.
func (d *Doubts) Noticed() bool { return d.noticed }

// Selected notes that a selection looks at all files.
func (d *Doubts) Selected() { d.noticed = false }

// Recheck takes back what was too soon held to be written by hooks, and reports
// whether there was anything.
func (d *Doubts) Recheck() bool {
	again := d.recheck()
	d.Refresh(again)
	return len(again) > 0
}

// Restored takes back verdicts of cases that ran while a file of theirs, which is
// as it was again, may have been missing. Where the file itself was written its
// stamp tells; where a directory on its way was renamed and renamed back, nothing
// does.
func (d *Doubts) Restored(paths []string, now time.Time) {
	if len(paths) > 0 {
		d.retract(now, func(seen Seen) bool { return d.unseen(seen, paths) })
	}
}

// Unsure reports whether a running case is to be run anew, for it may have seen that
// one of the restored files was missing.
func (d *Doubts) Unsure(k suites.Key, seen Seen, restored []string) bool {
	return d.unseen(seen, restored) && d.unsure(k)
}

// InputsDigest is the digest of a case's inputs, but for what hooks write.
func (d *Doubts) InputsDigest(c *suites.Case) string {
	if len(d.files) == 0 {
		return d.p.Graph.Digest(c)
	}
	return depend.InputsDigest(d.Without(d.p.Graph.Inputs(c)))
}

// Rest gives up what nobody can ask for any more; followed are the files that cases
// depend on, sorted.
func (d *Doubts) Rest(now time.Time, followed []string) {
	d.rest(now)
	d.forget(followed)
}
