package cli

import (
	"io"
	"slices"
	"strings"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites/check"
)

// printCalls prints how long the client waits for all hooks of a call: for the slowest, or for all.
func printCalls(w io.Writer, all []check.Latency, verbose bool) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b check.Latency) int { return int(b.P95MS - a.P95MS) })
	if !verbose {
		all = all[:min(1, len(all))]
	}
	for _, l := range all {
		name := strings.TrimSpace(strings.Join([]string{l.Client, l.Event, l.Tool}, " "))
		writef(w, "%s: %s in %d ms (p50), %d ms (p95) of %s\n", output(name), session.Count(l.Hooks, "hook"), l.P50MS, l.P95MS, session.Count(l.Runs, "call"))
	}
}
