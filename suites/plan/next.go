package plan

import (
	"slices"

	"hookwatch/suites"
)

// MaxTries bounds how often a case starts anew because its inputs changed while
// it ran. Only a hook that changes its own inputs gets that far.
const MaxTries = 5

// A Next is what becomes of a case that has run.
type Next int

// The courses.
const (
	Conclude Next = iota + 1 // its verdict counts
	Again                    // its verdict is about nothing that is there: it waits anew
	Drop                     // there is no such case any more
)

// Superseded reports whether a running case is to be cancelled: now, its
// definition, is another one or gone (nil), or one of its files has changed.
func Superseded(c, now *suites.Case, inputs []suites.Input, changed []string) bool {
	return now == nil || now.Digest != c.Digest ||
		slices.ContainsFunc(inputs, func(in suites.Input) bool { return slices.Contains(changed, in.Path) })
}

// Ended decides what becomes of a case that has run: superseded, or not but
// disturbed, its files not being as they were when it started, for so many tries
// already; there tells whether the project still has it.
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
