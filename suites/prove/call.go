package prove

import (
	"context"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/conform"
)

// stoppedBy returns what else of a call stops the inputs that pass the hook, the IDs of hooks or a permission
// rule; "" for those that nothing stops.
func (s *search) stoppedBy(ctx context.Context, inputs []conform.Input, results []suites.Result) []string {
	by := make([]string, len(inputs))
	var asked []conform.Input
	var at []int
	for i, in := range inputs {
		if passes(results[i]) && s.tree.Shares(s.hook, in.Tool) {
			asked, at = append(asked, in), append(at, i)
		}
	}
	whole := func(c *suites.Case) { c.Registered, c.Chain, c.Client = "", true, s.hook.Client }
	for i, r := range s.fireAs(ctx, whole, asked) {
		if conform.Stopped(r.Effect) && len(r.By) > 0 {
			by[at[i]] = r.By[0]
			s.mu.Lock()
			if s.guard.Elsewhere++; !slices.Contains(s.guard.StoppedBy, r.By[0]) {
				s.guard.StoppedBy = append(s.guard.StoppedBy, r.By[0])
			}
			s.mu.Unlock()
		}
	}
	return by
}
