package plan

import (
	"slices"

	"hookwatch/suites"
)

// MaxTries limits how often a case restarts because its inputs changed while it ran. Only a hook
// that changes its own inputs reaches this limit.
const MaxTries = 5

// A Next is the next step for a case that has run.
type Next int

// The next steps.
const (
	Conclude Next = iota + 1 // its verdict counts
	Again                    // its verdict is for content that no longer exists: queue it again
	Drop                     // the case no longer exists
)

// Superseded reports whether a running case must be cancelled, because its current definition,
// now, is different or nil (removed), or because one of its files changed.
func Superseded(c, now *suites.Case, inputs []suites.Input, changed []string) bool {
	return now == nil || now.Digest != c.Digest ||
		slices.ContainsFunc(inputs, func(in suites.Input) bool { return slices.Contains(changed, in.Path) })
}

// Ended returns the next step for a case that has run. superseded reports whether Superseded was
// true for it, disturbed whether its files changed since it started, tries how often it
// restarted because of that, and there whether the project still contains it.
func Ended(superseded, disturbed bool, tries int, there bool) Next {
	switch {
	case !superseded && (!disturbed || tries >= MaxTries):
		return Conclude
	case there:
		return Again
	default:
		return Drop
	}
}
