package cli

import (
	"context"
	"fmt"
	"os"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/conform"
	"hookwatch/suites/discover"
	"hookwatch/suites/run"
)

// A checkedBefore is the report of a hook, which counts as long as its content is the same.
type checkedBefore struct {
	inputs *suites.Case // depends on what the hook does
	digest string
	report conform.Report
}

// checkInSession returns a function that checks the hooks of a watching session: one at a time, because
// nothing waits for it, only those that changed, and without searching for ways around guards.
func checkInSession() func(context.Context, *session.Project, *run.Runner) ([]conform.Finding, error) {
	known := map[string]*checkedBefore{}
	return func(ctx context.Context, p *session.Project, r *run.Runner) ([]conform.Finding, error) {
		of, asked, err := clientsOf(p, "")
		if err != nil {
			return nil, err
		}
		tree := p.Tree(os.Environ())
		tree.For(of, asked)
		res, err := runCheck(ctx, tree, r, nil, 1, nil, func(h discover.Hook, check func() (conform.Report, error)) (conform.Report, error) {
			k := known[h.ID]
			if k == nil {
				k = &checkedBefore{inputs: &suites.Case{ID: h.ID}}
				for _, script := range h.Scripts {
					k.inputs.Steps = append(k.inputs.Steps, suites.Step{Hook: script})
				}
				known[h.ID] = k
			}
			digest := fmt.Sprint(h.Matcher, h.Command, h.Args, h.If, h.Timeout, h.Scripts, p.ContentDigest(k.inputs))
			if k.digest == digest {
				return k.report, nil
			}
			report, err := check()
			if err == nil && ctx.Err() == nil {
				k.digest, k.report = digest, report
			}
			return report, err
		})
		return res.Findings, err
	}
}
