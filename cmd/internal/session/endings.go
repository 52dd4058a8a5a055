package session

import (
	"maps"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/plan"
)

// noticed is how long after it happened the watcher may tell that a file was
// another for a moment.
const noticed = time.Second

// An ending says when a case ended, on which files, and whether its verdict is
// to be taken back.
type ending struct {
	at          time.Time
	seen        Seen
	retractions int // in a row
	retracted   bool
}

func (e ending) recent(now time.Time) bool { return now.Sub(e.at) <= noticed }

// retract takes the verdict back. A hook that itself takes its files away and
// brings them back is run anew a few times, and then believed.
func (e *ending) retract() bool {
	if e.retractions >= plan.MaxTries {
		return false
	}
	e.retractions++
	e.retracted = true
	return true
}

// endings are those of the cases that ran lately.
type endings map[suites.Key]ending

// Ended notes the end of a case that has a verdict.
func (e endings) Ended(k suites.Key, at time.Time, seen Seen) {
	before := e[k]
	if !before.retracted {
		before.retractions = 0
	}
	e[k] = ending{at: at, seen: seen, retractions: before.retractions}
}

// Retracted reports whether the verdict of a case was taken back.
func (e endings) Retracted(k suites.Key) bool { return e[k].retracted }

// retract takes back the verdicts of cases that ended lately and may be wrong.
func (e endings) retract(now time.Time, wrong func(Seen) bool) {
	for k, end := range e {
		if !end.retracted && end.recent(now) && wrong(end.seen) && end.retract() {
			e[k] = end
		}
	}
}

// suspect notes that a running case may have seen what is no more, and reports whether
// that is a reason to run it anew.
func (e endings) suspect(k suites.Key) bool {
	end := e[k]
	again := end.retract()
	if again {
		e[k] = end
	}
	return again
}

// rest drops what the watcher can tell nothing of any more.
func (e endings) rest(now time.Time) {
	maps.DeleteFunc(e, func(_ suites.Key, end ending) bool { return !end.retracted && !end.recent(now) })
}

// ForgetGone gives up what is known of cases that are no more.
func (e endings) ForgetGone(gone func(suites.Key) bool) {
	maps.DeleteFunc(e, func(k suites.Key, _ ending) bool { return gone(k) })
}
