package discover

import "slices"

// With adds what a person's own settings register: it fires before what the project
// registers. A command that both register under the same matcher is one hook, the
// project's, and where the project turns every hook off these are off, too. Whether
// the person's own disableAllHooks does so to a project's was not observed: it costs
// only their own.
func (r Registered) With(user Registered) Registered {
	same := func(a, b Hook) bool {
		return a.Event == b.Event && a.Matcher == b.Matcher && a.Type == "command" && a.runsAs() == b.runsAs()
	}
	var own []Hook
	for _, h := range user.Hooks {
		if !slices.ContainsFunc(r.Hooks, func(other Hook) bool { return same(h, other) }) {
			own = append(own, h)
		}
	}
	if r.DisabledBy.Line > 0 {
		own = nil
	} else {
		r.DisabledBy = user.DisabledBy
	}
	r.Hooks = append(own, r.Hooks...)
	r.Others = slices.Concat(user.Others, r.Others)
	r.Problems = slices.Concat(user.Problems, r.Problems)
	r.Dropped, r.Ignored = slices.Concat(user.Dropped, r.Dropped), slices.Concat(user.Ignored, r.Ignored)
	r.Files = slices.Concat(user.Files, r.Files)
	return r
}
