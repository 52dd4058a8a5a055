package cli

import (
	"context"
	"fmt"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/check"
	"hookwatch/suites/discover"
	"hookwatch/suites/run"
)

// A checkedBefore is the report of a hook, which counts as long as its content is the same.
type checkedBefore struct {
	inputs *suites.Case // depends on what the hook does
	digest string
	report check.Report
}

// checkInSession returns a function that checks the hooks of a watching session: one at a time, because
// nothing waits for it, only those that changed, and without searching for ways around guards.
func checkInSession() func(context.Context, *session.Project, *run.Runner) ([]check.Finding, error) {
	known := map[string]*checkedBefore{}
	return func(ctx context.Context, p *session.Project, r *run.Runner) ([]check.Finding, error) {
		tree, _, _, err := treeOf(p, "")
		if err != nil {
			return nil, err
		}
		c := roundsOf(tree, r, bench.New(1, r.Make))
		c.Report = func(h discover.Hook, check func() (check.Report, error)) (check.Report, error) {
			k := known[h.ID]
			if k == nil {
				k = &checkedBefore{inputs: session.CaseOf(h)}
				known[h.ID] = k
			}
			digest := fmt.Sprint(h.Matcher, h.Command, h.Args, h.If, h.Timeout, h.Scripts, p.ContentDigest(k.inputs))
			if k.digest == digest {
				return k.report, nil
			}
			report, err := check()
			if err == nil {
				k.digest, k.report = digest, report
			}
			return report, err
		}
		res, err := c.Run(ctx)
		return res.Findings, err
	}
}
