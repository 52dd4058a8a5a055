package cli

import (
	"fmt"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/conform"
	"hookwatch/suites/discover"
)

// A liveCall has the client fire hooks: all that are registered for what it does.
type liveCall struct {
	c     *suites.Case
	hooks []int // places of those that it is to show
}

// livePlan makes the calls by which each hook is fired once, and says of the other hooks why
// the client cannot be brought to fire them.
func livePlan(t conform.Tree, all []discover.Hook, fires func(c *suites.Case) []discover.Hook) (calls []liveCall, untried map[int]string) {
	untried = map[int]string{}
	planned := map[string]bool{}
	asked, own := make([]*suites.Case, len(all)), make([]bool, len(all))
	for i, h := range all {
		asked[i], own[i] = conform.Call(t, h)
	}
	for i, h := range all {
		if planned[h.ID] {
			continue
		}
		c := asked[i]
		if why := unfit(h, c); why != "" {
			untried[i] = why
			continue
		}
		one := liveCall{c: c, hooks: []int{i}}
		with := map[string]bool{}
		same := ""
		for _, other := range fires(c) {
			with[other.ID] = true
			if other.Command == h.Command && slices.Equal(other.Args, h.Args) && other.Plugin == h.Plugin {
				same = other.ID
			}
		}
		switch {
		case with[h.ID]:
		case same != "":
			untried[i] = "its command is that of " + same + ", and the client runs equal commands once"
			continue
		default:
			untried[i] = "the client never fires it: its if is for tools alone"
			continue
		}
		for j, other := range all {
			// Plugins are fired in a project of their own.
			if j > i && with[other.ID] && other.If == h.If && other.Scope == h.Scope && !planned[other.ID] && (!own[j] || said(asked[j]) == said(c)) {
				one.hooks = append(one.hooks, j)
				planned[other.ID] = true
			}
		}
		calls = append(calls, one)
	}
	return calls, untried
}

// unfit says why a hook cannot be fired in a session of the client that starts in the
// project.
func unfit(h discover.Hook, c *suites.Case) string {
	switch {
	case h.NotRun() != "":
		return h.NotRun()
	case h.Scope == discover.InDirectory:
		return "it is in force in sessions that start in " + h.Session + " (hookwatch -C DIR live)"
	case h.Scope == discover.InDocument:
		return "it is in force while its skill, agent or command is active, which the scripted model starts none of"
	case h.Scope == discover.InGuess:
		return "nothing registers it"
	case c == nil:
		return fmt.Sprintf("its matcher %q lets nothing through that is known", h.Matcher)
	default:
		return ""
	}
}
