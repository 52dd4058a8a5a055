// Package rounds fires the hooks of a project for package check: each hook alone, then the first ways around it
// if it is a guard, and in the end calls with all of their hooks.
package rounds

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/check"
	"hookwatch/suites/discover"
	"hookwatch/suites/printable"
	"hookwatch/suites/prove"
	"hookwatch/suites/verdict"
)

// A Check is what is checked, and how.
type Check struct {
	check.Tree
	*bench.Bench                // nil: nothing is fired, and only files are examined
	Prover       *prove.Machine // searches guards for ways around them; nil: none is searched
	// Whole fires all hooks of a call.
	Whole func(context.Context, *suites.Case) ([]check.Part, suites.Outcome, error)
	// Place returns the line of one of the scripts that caused a result, the zero value if it is unknown.
	Place func(ctx context.Context, of *check.Firing, scripts []string) suites.Position
	// Report returns the report of a hook: that of check, or an earlier one of the same content.
	Report func(h discover.Hook, check func() (check.Report, error)) (check.Report, error)
	Status func(format string, args ...any) // shows how far the check is
	Judged func(check.Report)               // is called when a hook was judged
}

// A Result is the result of checking the hooks of a project.
type Result struct {
	Findings []check.Finding
	Reports  []check.Report // one per hook, in registration order
	Firings  int
	Calls    []check.Latency // of whole calls
}

// Count counts the findings of a severity.
func (r Result) Count(s suites.Severity) (n int) {
	for _, f := range r.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// Run checks the tree and fires all hooks. If ctx ends, the result has what is known of the hooks until then, with
// its error; any other error is one of hookwatch itself.
func (c Check) Run(ctx context.Context) (res Result, err error) {
	res.Findings = c.About(check.Static(c.Tree))
	hooks := c.Asked()
	res.Reports = make([]check.Report, len(hooks))
	failed := make([]error, len(hooks))
	if c.Bench != nil {
		var done atomic.Int64
		c.Status("firing hooks: %d of %d", 0, len(hooks))
		err = c.Each(ctx, len(hooks), func(ctx context.Context, i int) (err error) {
			res.Reports[i], failed[i] = c.Report(hooks[i], func() (check.Report, error) { return c.judge(ctx, hooks[i]) })
			if c.Status("firing hooks: %d of %d", done.Add(1), len(hooks)); failed[i] == nil {
				c.Judged(res.Reports[i])
			}
			return context.Cause(ctx)
		})
		if err == nil {
			err = unfinished(hooks, res.Reports, failed)
		}
		if err == nil {
			err = c.fireCalls(ctx, &res)
		}
		if err != nil && ctx.Err() == nil {
			return res, err
		}
		if ctx.Err() != nil {
			res.Reports = slices.DeleteFunc(res.Reports, func(r check.Report) bool { return r.Firings == 0 }) // of which nothing is known
		}
	}
	for _, report := range res.Reports {
		res.Findings = append(res.Findings, report.Findings...)
		res.Firings += report.Firings
	}
	res.Findings = check.MergeFindings(res.Findings)
	return res, ctx.Err()
}

// unfinished adds to the reports of hooks with a call that could not be made that they are not complete. If that is
// true of all hooks, it is no fault of theirs, and an error.
func unfinished(hooks []discover.Hook, reports []check.Report, failed []error) error {
	if len(failed) > 0 && !slices.Contains(failed, nil) {
		return failed[0]
	}
	for i, err := range failed {
		if h := hooks[i]; err != nil {
			reports[i].Hook = h
			reports[i].Findings = append(reports[i].Findings, check.FindingOf("not-finished", h.ID, h.Source, printable.Cut(err.Error(), 200)))
		}
	}
	return nil
}

// judge fires one hook.
func (c Check) judge(ctx context.Context, h discover.Hook) (check.Report, error) {
	report, err := check.Hook(ctx, c.Tree, h, c.All)
	if err == nil && c.Prover != nil {
		err = c.prove(ctx, &report)
	}
	if err == nil {
		c.placeFaults(ctx, h.Scripts, report.Findings)
	}
	return report, cmp.Or(err, ctx.Err())
}

// prove searches a guard that check has seen to stop something for the first ways around it,
// and adds them to the report. The number of rewrites does not depend on the time that they take.
func (c Check) prove(ctx context.Context, report *check.Report) error {
	if report.Stopped.Text() == "" {
		return nil
	}
	const bound = 30 * time.Second // two seconds are usual
	g, err := prove.Search(ctx, c.Tree, report.Hook, c.Prover, prove.Options{Budget: bound, Inputs: []check.Input{report.Stopped}, Only: true, Most: prove.Wrapping, Brief: true})
	report.Firings += g.Fired
	for _, f := range g.Findings {
		rule, what := prove.Rules[f.What], fmt.Sprintf("%s is stopped, %s is not; executed, it %s", check.ShortCommand(f.From.Text()), check.ShortCommand(f.Input.Text()), f.Does)
		if f.What == prove.Injection {
			if what = "it runs a part of its input as a command"; slices.ContainsFunc(report.Findings, func(o check.Finding) bool { return o.Rule == rule }) {
				continue
			}
		}
		found := check.FindingOf(rule, report.Hook.ID, report.Hook.Source, what, f.Severity())
		if f.What == prove.Injection {
			found.Input = f.Rule
		}
		report.Findings = append(report.Findings, found)
	}
	return err
}

// tracedAtMost is the number of findings about a hook for which the line of its script is looked for.
const tracedAtMost = 4

// placeFaults adds to the findings about a hook the line of the script that caused each.
func (c Check) placeFaults(ctx context.Context, scripts []string, findings []check.Finding) {
	left := tracedAtMost
	for i := range findings {
		f := &findings[i]
		firing := f.Firing()
		if firing == nil || f.Severity == suites.Info || left == 0 {
			continue
		}
		left--
		if at := c.Place(ctx, firing, scripts); at.Line > 0 {
			f.Fault, f.FaultAt = at, at.String()
		}
	}
}

// fireCalls fires all hooks of calls together, one call at a time so that their latency is that of a session,
// and adds what it finds.
func (c Check) fireCalls(ctx context.Context, res *Result) error {
	const longest = 5 * time.Second // that is spent on the latency of a call
	var parts []check.Part
	whole := c.With(func(ctx context.Context, q suites.Request) (o suites.Outcome, err error) {
		parts, o, err = c.Whole(ctx, q.Case)
		return o, err
	})
	calls := c.Calls(res.Reports)
	for i, call := range calls {
		c.Status("firing whole calls: %d of %d", i+1, len(calls))
		var took verdict.Durations
		for spent := time.Duration(0); len(took) == 0 || len(took) < call.Times && spent < longest; {
			one := *call.Case
			one.Name = fmt.Sprint("run ", len(took)+1) // so that each is a firing of its own, also if it is known
			o, err := whole.Fire(ctx, suites.Request{Case: &one, Name: call.Event + " " + call.Tool})
			if err != nil {
				return err
			}
			spent += o.Last().Duration // of which a known firing took as much, so that another check makes as many
			took = append(took, o.Last().Duration.Milliseconds())
			res.Findings = append(res.Findings, call.Judge(parts, o.Last())...)
		}
		if call.Times > 1 && len(parts) > 0 {
			l := check.Latency{Client: call.Client, Event: call.Event, Tool: call.Tool, Hooks: len(parts), Runs: len(took), P50MS: took.Quantile(0.5), P95MS: took.Quantile(0.95)}
			res.Calls = append(res.Calls, l)
			res.Findings = append(res.Findings, l.Slow(parts, c.CallBudget)...)
		}
	}
	return nil
}
