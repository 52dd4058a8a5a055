package human

import (
	"fmt"
	"strings"

	"hookwatch/suites"
)

// standing formats the counts of all cases.
func standing(s suites.State) line {
	l := tally(s.Tally, false)
	if s.NotRun > 0 {
		l = l.with(piece{dim, fmt.Sprintf("  NOT RUN %d", s.NotRun)})
	}
	return l
}

// tally formats the sums; with zeros, everything but aborted is named even
// where there is none, so that the sum can be checked.
func tally(t suites.Tally, zeros bool) line {
	l := line{{green, fmt.Sprintf("PASS %d", t.Passed)}}
	add := func(n int, zeros bool, s suites.Status) {
		if n == 0 && !zeros {
			return
		}
		st := statusStyle[s]
		if n == 0 {
			st = plain
		}
		l = l.with(piece{st, fmt.Sprintf("  %s %d", strings.ToUpper(string(s)), n)})
	}
	add(t.Failed, zeros, suites.Fail)
	add(t.Skipped, zeros, suites.Skip)
	add(t.Unproven, zeros, suites.Unproven)
	add(t.Aborted, false, suites.Aborted)
	return l
}
