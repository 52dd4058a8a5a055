package run

import (
	"context"

	"hookwatch/suites"
)

// Forget has runners asked anew: a run begins, and what was absent may be there.
func (r *Runner) Forget() {
	r.asked.mu.Lock()
	defer r.asked.mu.Unlock()
	r.asked.of = nil
}

// byRunner reports whether a runner among the places has the tool. It is asked
// once a run, but for one that gave no answer in time: that says nothing of the
// tool to the next case.
func (r *Runner) byRunner(ctx context.Context, c *suites.Case, g suites.Gate) (bool, error) {
	check := &suites.Check{Tool: g.Tool}
	for _, place := range g.Places {
		if len(suites.Place(place).Runner()) > 0 {
			check.Places = append(check.Places, place)
		}
	}
	if len(check.Places) == 0 {
		return false, nil
	}
	a := r.asked.about(check.Places)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known {
		return a.has, nil
	}
	l, err := r.look(ctx, c, check)
	if l.sandbox != "" {
		_ = r.sandboxes.pool.Discard(l.sandbox)
	}
	has := l.finding.Holds
	if err == nil && ctx.Err() == nil && (has || !l.timedOut) {
		a.known, a.has = true, has
	}
	return has, err
}
