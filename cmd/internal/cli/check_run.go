package cli

import (
	"context"
	"os"
	"slices"
	"sync"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/conform"
	"hookwatch/suites/discover"
	"hookwatch/suites/process"
	"hookwatch/suites/run"
)

// A checkResult is what a check found out about the hooks of a project.
type checkResult struct {
	Findings []conform.Finding
	Reports  []conform.Report // one a hook, in the order in which they are registered
	Firings  int

	ranIn // empty when no hook was fired
}

// Count counts the findings of a severity.
func (r checkResult) Count(s suites.Severity) (n int) {
	for _, f := range r.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// checkTree is the project as conform looks at it.
func checkTree(p *project.Project, env []string) conform.Tree {
	return conform.Tree{
		Root: p.Root(), Reader: p.Reader, Registered: p.Registered, Scripts: p.Scripts(), Stray: p.Stray, Denies: p.Config.Denies,
		Installed:  func(program string) bool { _, err := process.LookPath(program, p.Root(), env); return err == nil },
		PlainShell: conform.IsPlainShell(),
	}
}

// checkProgress is how far a check is.
type checkProgress struct {
	Done    int    // hooks whose inquiry is complete
	Firings int    // that ended
	Hook    string // ID of the one that was fired last
}

// runCheck judges the tree and asks every hook, jobs at a time. A runner of nil asks
// none. After each firing it calls progress, unless that is nil, from one goroutine at
// a time. The error is for what hookwatch itself could not do.
func runCheck(ctx context.Context, tree conform.Tree, r *run.Runner, jobs int, progress func(checkProgress)) (checkResult, error) {
	res := checkResult{Findings: tree.About(conform.Static(tree))}
	hooks := hooksToCheck(tree)
	reports := make([]conform.Report, len(hooks))
	errs := make([]error, len(hooks))
	if r != nil {
		var mu sync.Mutex // of now
		var now checkProgress
		advance := func(hook string, firings, done int) {
			mu.Lock()
			defer mu.Unlock()
			now = checkProgress{Done: now.Done + done, Firings: now.Firings + firings, Hook: hook}
			if progress != nil {
				progress(now)
			}
		}
		launch := launches(ctx, r, jobs)
		inParallel(len(hooks), jobs, func(i int) {
			hook := hooks[i]
			reports[i], errs[i] = checkHook(ctx, tree, func(c *suites.Case) (suites.Outcome, error) {
				defer advance(hook.ID, max(1, len(c.Steps)), 0)
				return launch(c)
			}, hook)
			advance(hook.ID, 0, 1)
		})
	}
	for i, report := range reports {
		if errs[i] != nil {
			return res, errs[i]
		}
		res.Findings = append(res.Findings, report.Findings...)
		res.Firings += report.Firings
	}
	res.Reports = reports
	res.Findings = conform.MergeFindings(append(res.Findings, conform.Together(reports)...))
	return res, ctx.Err()
}

// hooksToCheck are the hooks that are fired: those that some session launches.
func hooksToCheck(tree conform.Tree) []discover.Hook {
	hooks := append([]discover.Hook{}, tree.Registered.Hooks...)
	hooks = append(hooks, tree.Registered.Others...)
	return slices.DeleteFunc(hooks, func(h discover.Hook) bool { return !tree.Asks(h) })
}

// inParallel calls do for 0 to n-1, so many at a time.
func inParallel(n, jobs int, do func(int)) {
	var wait sync.WaitGroup
	next := make(chan int)
	for range min(max(jobs, 1), n) {
		wait.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wait.Wait()
}

// launches fires cases, so many at a time, whichever hooks they are of.
func launches(ctx context.Context, r *run.Runner, jobs int) func(*suites.Case) (suites.Outcome, error) {
	free := make(chan struct{}, max(jobs, 1))
	return func(c *suites.Case) (suites.Outcome, error) {
		free <- struct{}{}
		defer func() { <-free }()
		o, err := r.Case(ctx, c)
		if err == nil {
			if err = r.Remove(o); os.IsNotExist(err) {
				err = nil
			}
		}
		return o, err
	}
}

// checkHook fires one hook until its inquiry is complete. Probes of one round run in
// parallel: each firing has a sandbox of its own.
func checkHook(ctx context.Context, tree conform.Tree, launch func(*suites.Case) (suites.Outcome, error), h discover.Hook) (conform.Report, error) {
	q := conform.Ask(tree, h)
	for ctx.Err() == nil {
		probes := q.Next()
		if len(probes) == 0 {
			break
		}
		outcomes := make([]suites.Outcome, len(probes))
		errs := make([]error, len(probes))
		inParallel(len(probes), len(probes), func(i int) { outcomes[i], errs[i] = launch(probes[i].Case) })
		for i, p := range probes {
			if errs[i] != nil {
				return q.Report(), errs[i]
			}
			q.Take(p, outcomes[i])
		}
	}
	return q.Report(), ctx.Err()
}
