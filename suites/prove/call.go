package prove

import (
	"context"
	"encoding/json"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

// stoppedBy returns what else of a call stops the cases that pass the hook, the IDs of hooks or a permission
// rule; "" for those that nothing stops. Each case has one step.
func (s *search) stoppedBy(ctx context.Context, cases []*suites.Case, results []suites.Result) []string {
	by := make([]string, len(cases))
	var asked []*suites.Case
	var at []int
	for i, c := range cases {
		if passes(results[i]) && s.tree.Shares(s.hook, c.Steps[0].Tool) {
			whole := *c
			whole.Registered, whole.Chain, whole.Client = "", true, s.hook.Client
			asked, at = append(asked, &whole), append(at, i)
		}
	}
	for i, r := range s.send(ctx, asked) {
		if check.Stopped(r.Effect) && len(r.By) > 0 {
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

// ruled returns what the permission rules decide about a call.
func ruled(rules []client.PermissionRule, step Step, session string) discover.Ruling {
	payload, _ := json.Marshal(map[string]any{"tool_name": step.Tool, "cwd": session, "tool_input": step.input(session)}) // JSON always encodes
	return discover.Registered{Rules: rules}.Rule("", payload)
}
