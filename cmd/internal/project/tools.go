package project

import "hookwatch/suites"

// toolGroups tell which tools belong together: a hook that lints many languages
// reaches all linters, but only those of a case's own language can explain what
// became of it. Tools are groups where a case is gated by both. A runner makes none
// groups, for it runs any of them.
type toolGroups struct {
	next    map[string]string // tool -> another one of its groups, or itself
	runners map[string]bool
}

func (k *toolGroups) of(tool string) string {
	for k.next[tool] != "" && k.next[tool] != tool {
		tool = k.next[tool]
	}
	return tool
}

func (k *toolGroups) join(tools []string) {
	for _, t := range tools {
		if k.next[t] == "" {
			k.next[t] = t
		}
		k.next[k.of(t)] = k.of(tools[0])
	}
}

// gateTools lists what the gates of a case are about, with the names by which it
// is looked for, and apart from them the runners that are asked for it.
func gateTools(c *suites.Case) (names, runners []string) {
	for _, g := range c.Gates {
		if suites.IsFilter(g.Tool) {
			continue
		}
		names = append(names, g.Tool)
		for _, place := range g.Places {
			if by := suites.Place(place).Runner(); len(by) > 0 {
				runners = append(runners, by[0])
			} else {
				names = append(names, place)
			}
		}
	}
	return names, runners
}
