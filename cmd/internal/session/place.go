package session

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/discover"
	"hookwatch/suites/pattern"
	"hookwatch/suites/run"
)

const (
	loopTime  = 2 * time.Second // how long a hook that did not end runs once more: it logs every line
	maxScript = 1 << 20         // the largest script, in bytes, that is read for a place
)

// placedAtMost is the number of cases of a hook in one run that fail alike whose place is looked for by
// another run of the case: most of them have one place, and the verdict of each waits for it.
const placedAtMost = 2

// places counts, by hook and mismatch, the failing cases of a run whose place was looked for.
type places struct {
	mu    sync.Mutex
	alike map[string]int
}

// take counts one more, and returns their number.
func (p *places) take(alike string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.alike[alike]++
	return p.alike[alike]
}

// missingScripts returns what to do if a script of a registered hook does not exist, "" if all do.
func (p *Project) missingScripts(h discover.Hook) string {
	for _, s := range h.Scripts {
		if path.IsAbs(s) || p.Exists(s) {
			continue
		}
		idle := slices.DeleteFunc(p.Scripts(), func(script string) bool {
			return slices.ContainsFunc(p.Registered.Hooks, func(h discover.Hook) bool { return slices.Contains(h.Scripts, script) })
		})
		text := s + " does not exist: correct the path in the registration"
		if hint := pattern.NearestHint(s, idle); hint != "" {
			text += "; " + hint
		}
		return text
	}
	return ""
}

// PlaceOf returns the line of a script of the project that caused the result of the first step of a
// case: the one that an interpreter named on stderr, otherwise the one that a second run, traced, reached
// last, as fire makes it. It is the zero value if it is unknown.
func PlaceOf(ctx context.Context, r *run.Runner, fire bench.Fire, c *suites.Case, res suites.Result, scripts []string) suites.Position {
	source := sourceOf(r, scripts)
	if at := trace.ReportedIn(string(res.Stderr), source); at.Line > 0 {
		return at
	}
	again := *c
	if res.TimedOut {
		again.Timeout = loopTime
	}
	logs, err := fire(ctx, suites.Request{Case: &again, Name: c.ID, Trace: trace.Start})
	if err != nil {
		return suites.Position{}
	}
	return trace.PlaceOf(logs.Trace, source, len(bytes.TrimSpace(res.Stdout)) > 0 && (res.Exit == 0 || res.Exit == 2))
}

func sourceOf(r *run.Runner, scripts []string) trace.Source {
	return trace.Source{Own: trace.OwnIn(r.Root, slices.Concat(scripts, r.Scripts)...), Read: func(file string) string {
		text, err := r.Reader.ReadFile(filepath.Join(cmp.Or(r.Instead.Source, r.Root), filepath.FromSlash(file)), maxScript)
		if err != nil {
			return "" // it was deleted meanwhile
		}
		return string(text)
	}}
}
