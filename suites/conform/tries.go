package conform

import (
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/discover"
)

// A Try is a call by which it is found out what a hook stops.
type Try struct {
	Case  *suites.Case
	Input string // what is sent, in a few words
}

// Tries lists the calls for a hook: those that the client would most likely fire it
// for, then, of a hook that may deny, the inputs that it may be there to stop, the
// likeliest first. Guard reports whether there are any of the latter.
func Tries(t Tree, h discover.Hook) (tries []Try, guard bool) {
	q := Ask(t, h)
	harmful := q.harmful()
	for _, f := range slices.Concat(typical(h, t), harmful) {
		c := f.asCase(h)
		c.Timeout = 0 // that of the registration counts
		tries = append(tries, Try{c, f.input()})
	}
	return tries, len(harmful) > 0
}

// Stops reports whether an effect keeps the client from what it was about to do, or
// reports to the model that it was wrong.
func Stops(e suites.Effect) bool {
	return stopped(suites.Result{Effect: e}) || e == suites.AnotherTurn || e == suites.ShownToModel
}
