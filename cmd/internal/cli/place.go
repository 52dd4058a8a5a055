package cli

import (
	"context"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/conform"
	"hookwatch/suites/run"
)

// tracedAtMost is the number of findings about a hook for which the line of its script is looked for.
const tracedAtMost = 4

// placeFaults adds to the findings about a hook the line of the script that caused each.
func placeFaults(ctx context.Context, r *run.Runner, scripts []string, findings []conform.Finding) {
	left := tracedAtMost
	for i := range findings {
		f := &findings[i]
		firing := f.Firing()
		if firing == nil || f.Severity == suites.Info || left == 0 {
			continue
		}
		left--
		if at := session.PlaceOf(ctx, r, firing.Case, firing.Result, scripts); at.Line > 0 {
			f.Fault, f.FaultAt = at, at.String()
		}
	}
}
