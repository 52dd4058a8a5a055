package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/conform"
	"hookwatch/suites/run"
)

// A watchedHook is a hook as a watching session checked it last.
type watchedHook struct {
	inputs *suites.Case // depends on what the hook does
	digest string
	report conform.Report
}

// checkInSession returns a function that checks the hooks of a watching session: one at a time, because
// nothing waits for it, and without searching for ways around guards.
func checkInSession() session.CheckFunc {
	known := map[string]*watchedHook{}
	return func(ctx context.Context, p *session.Project, r *run.Runner) ([]conform.Finding, error) {
		of, asked, err := clientsOf(p, "")
		if err != nil {
			return nil, err
		}
		tree := p.Tree(os.Environ())
		tree.For(of, asked)
		launch := launches(ctx, r, 1)
		var reports []conform.Report
		findings := conform.Static(tree)
		for _, hook := range tree.Asked() {
			w := known[hook.ID]
			if w == nil {
				w = &watchedHook{inputs: &suites.Case{ID: hook.ID}}
				for _, script := range hook.Scripts {
					w.inputs.Steps = append(w.inputs.Steps, suites.Step{Hook: script})
				}
				known[hook.ID] = w
			}
			digest := fmt.Sprint(hook.Matcher, hook.Command, hook.Args, hook.If, hook.Timeout, hook.Scripts, p.ContentDigest(w.inputs))
			if w.digest != digest {
				w.report, err = conform.Check(ctx, tree, hook, func(probe conform.Probe, observed bool) (suites.Outcome, error) {
					return launch(probe, observed, func() func() { return func() {} })
				})
				if err == nil {
					placeFaults(ctx, r, hook.Scripts, w.report.Findings)
				}
				if err = errors.Join(err, ctx.Err()); err != nil {
					return nil, err
				}
				w.digest = digest
			}
			reports = append(reports, w.report)
			findings = append(findings, w.report.Findings...)
		}
		return conform.MergeFindings(append(findings, conform.Together(reports)...)), nil
	}
}
