package session

import (
	"maps"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// noticed is the maximum delay with which the watcher may report that a file was different for a
// moment.
const noticed = time.Second

// An ending records when a case ended, the files it saw, and whether its verdict has been
// retracted.
type ending struct {
	at          time.Time
	seen        Seen
	retractions int // in a row
	retracted   bool
}

func (e ending) recent(now time.Time) bool { return now.Sub(e.at) <= noticed }

// retract marks the verdict as retracted, and reports false after verdict.MaxTries in a row: a hook
// that itself removes and restores its files is run again a few times, and then accepted.
func (e *ending) retract() bool {
	if e.retractions >= verdict.MaxTries {
		return false
	}
	e.retractions++
	e.retracted = true
	return true
}

// endings holds the recent endings by case.
type endings map[suites.Key]ending

// Ended records the end of a case that has a verdict.
func (e endings) Ended(k suites.Key, at time.Time, seen Seen) {
	before := e[k]
	if !before.retracted {
		before.retractions = 0
	}
	e[k] = ending{at: at, seen: seen, retractions: before.retractions}
}

// Retracted reports whether the verdict of a case was retracted.
func (e endings) Retracted(k suites.Key) bool { return e[k].retracted }

// retract retracts the verdicts of cases that ended recently and may be wrong.
func (e endings) retract(now time.Time, wrong func(Seen) bool) {
	for k, end := range e {
		if !end.retracted && end.recent(now) && wrong(end.seen) && end.retract() {
			e[k] = end
		}
	}
}

// suspect records that a running case may have seen outdated files, and reports whether it must
// run again.
func (e endings) suspect(k suites.Key) bool {
	end := e[k]
	again := end.retract()
	if again {
		e[k] = end
	}
	return again
}

// rest discards endings that are too old for a report of the watcher.
func (e endings) rest(now time.Time) {
	maps.DeleteFunc(e, func(_ suites.Key, end ending) bool { return !end.retracted && !end.recent(now) })
}

// ForgetGone discards the endings of removed cases.
func (e endings) ForgetGone(gone func(suites.Key) bool) {
	maps.DeleteFunc(e, func(k suites.Key, _ ending) bool { return gone(k) })
}
