package run

import (
	"time"

	"hookwatch/suites"
)

// Waits returns the timeout of a registered hook in a case.
func Waits(o Options, c *suites.Case, hook time.Duration) (time.Duration, string) {
	return (&caseRun{o: &o, c: c}).waits(hook)
}
