package cli

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"hookwatch/suites/conform"
	"hookwatch/suites/run"
	"hookwatch/suites/verdict"
)

// fireCalls fires all hooks of calls together, one call at a time so that their latency is that of a session,
// and adds what it finds.
func fireCalls(ctx context.Context, tree conform.Tree, r *run.Runner, reports []conform.Report, found *[]conform.Finding, shown *progress) (all []conform.Latency, err error) {
	const longest = 5 * time.Second // that is spent on the latency of a call
	calls := tree.Calls(reports)
	for i, c := range calls {
		shown.show("firing whole calls: %d of %d", i+1, len(calls))
		var took verdict.Durations
		var parts []conform.Part
		for began := time.Now(); len(took) == 0 || len(took) < c.Times && time.Since(began) < longest; {
			fired, o, err := r.Fire(ctx, c.Case)
			if err != nil {
				return all, err
			}
			parts = nil
			for _, f := range fired {
				if f.NotRun == "" {
					parts = append(parts, conform.Part{Hook: f.Hook, Result: f.Result})
				}
			}
			took = append(took, o.Last().Duration.Milliseconds())
			*found = append(*found, c.Judge(parts, o.Last())...)
		}
		if c.Times > 1 && len(parts) > 0 {
			l := conform.Latency{Client: c.Client, Event: c.Event, Tool: c.Tool, Hooks: len(parts), Runs: len(took), P50MS: took.Quantile(0.5), P95MS: took.Quantile(0.95)}
			all = append(all, l)
			*found = append(*found, l.Slow(parts, tree.CallBudget)...)
		}
	}
	return all, nil
}

// printCalls prints how long the client waits for all hooks of a call: for the slowest, or for all.
func printCalls(w io.Writer, all []conform.Latency, verbose bool) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b conform.Latency) int { return int(b.P95MS - a.P95MS) })
	if !verbose {
		all = all[:min(1, len(all))]
	}
	for _, l := range all {
		name := strings.TrimSpace(strings.Join([]string{l.Client, l.Event, l.Tool}, " "))
		writef(w, "%s: %d hooks in %d ms (p50), %d ms (p95) of %d calls\n", output(name), l.Hooks, l.P50MS, l.P95MS, l.Runs)
	}
}
