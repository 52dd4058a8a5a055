package session

import (
	"maps"
	"slices"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/plan"
)

// noticed is how long after it happened the watcher may tell that a file was
// another for a moment.
const noticed = time.Second

// An ending says when a case ended, on which files, and whether its verdict is
// to be taken back.
type ending struct {
	at          time.Time
	files       []string
	stamps      []disk.Signature
	retractions int // in a row
	retracted   bool
}

// ends notes the end of a case that has a verdict.
func (s *Session) ends(e *execution) {
	before := s.endings[e.c.Key()]
	if !before.retracted {
		before.retractions = 0
	}
	s.endings[e.c.Key()] = ending{at: e.ended, files: files(e.inputs), stamps: e.stamps, retractions: before.retractions}
}

// forgetEndings drops what the watcher can tell nothing of any more.
func (w *watch) forgetEndings() {
	now := w.Session.o.Now()
	maps.DeleteFunc(w.endings, func(_ suites.Key, e ending) bool { return !e.retracted && now.Sub(e.at) > noticed })
}

// retract takes back verdicts of cases that ran while a file of theirs, which is
// as it was again, may have been missing. Where the file itself was written its
// stamp tells; where a directory on its way was renamed and renamed back, nothing
// does. A hook that does so itself is run anew a few times, and then believed.
func (w *watch) retract(restored []string) {
	if len(restored) == 0 {
		return
	}
	now := w.Session.o.Now()
	for key, end := range w.endings {
		if end.retracted || end.retractions >= plan.MaxTries || now.Sub(end.at) > noticed || !w.unseen(end.files, end.stamps, restored) {
			continue
		}
		end.retracted = true
		end.retractions++
		w.endings[key] = end
	}
	for _, e := range w.running {
		if w.unseen(files(e.inputs), e.stamps, restored) {
			w.unsure(e)
		}
	}
}

// unseen reports whether one of the files was restored without its stamp telling.
func (w *watch) unseen(files []string, stamps []disk.Signature, restored []string) bool {
	for i, f := range files {
		if slices.Contains(restored, f) && w.stamps.now(f) == stamps[i] {
			return true
		}
	}
	return false
}

// unsure cancels a case that may have seen what is no more.
func (w *watch) unsure(e *execution) {
	end := w.endings[e.c.Key()]
	if end.retractions >= plan.MaxTries {
		return
	}
	end.retractions++
	end.retracted = true
	w.endings[e.c.Key()] = end
	e.stale = true
	e.cancel()
}

// retractedPast is what is on record for a case whose verdict was taken back.
func retractedPast(d suites.Digests) plan.Past {
	d.Inputs = ""
	return plan.Past{Known: true, Digests: d}
}
