package conform

import (
	"slices"

	"hookwatch/suites"
)

// stopped reports whether the client does not do what it was about to.
func stopped(r suites.Result) bool {
	return slices.Contains([]suites.Effect{suites.Denied, suites.Asked, suites.PromptBlocked, suites.SessionEnds}, r.Effect)
}

// lets reports whether what should be stopped is not, by a hook that could run.
func lets(r suites.Result) bool { return !stopped(r) && r.NotStarted == "" && !r.TimedOut }
