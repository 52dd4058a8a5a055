package session

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/run"
)

const (
	loopTime  = 2 * time.Second // how long a hook that did not end runs once more: it logs every line
	maxScript = 1 << 20         // the largest script, in bytes, that is read for a place
)

// placedAtMost is the number of failing cases of a hook in one run whose place is looked for by another
// run of the case: those of one cause have one place, and all of them wait for it.
const placedAtMost = 3

// places counts, by hook, the failing cases of a run whose place was looked for.
type places struct {
	mu     sync.Mutex
	byHook map[string]int
}

// taken counts one more of a hook, and returns their number.
func (p *places) taken(hook string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byHook[hook]++
	return p.byHook[hook]
}

// PlaceOf returns the line of a script of the project that caused the result of the first step of a
// case: the one that an interpreter named on stderr, otherwise the one that a second run, traced, reached
// last. It is the zero value if it is unknown.
func PlaceOf(ctx context.Context, r *run.Runner, c *suites.Case, res suites.Result, scripts []string) suites.Position {
	source := trace.Source{Own: trace.OwnIn(r.Root, slices.Concat(scripts, r.Scripts)...), Read: func(file string) string {
		text, err := r.Reader.ReadFile(filepath.Join(r.Root, filepath.FromSlash(file)), maxScript)
		if err != nil {
			return "" // it was deleted meanwhile
		}
		return string(text)
	}}
	if at := trace.ReportedIn(string(res.Stderr), source); at.Line > 0 {
		return at
	}
	again := *c
	if res.TimedOut {
		again.Timeout = loopTime
	}
	logs, err := r.Log(ctx, &again, trace.Start)
	if err != nil {
		return suites.Position{}
	}
	return trace.PlaceOf(logs, source, len(bytes.TrimSpace(res.Stdout)) > 0 && (res.Exit == 0 || res.Exit == 2))
}
