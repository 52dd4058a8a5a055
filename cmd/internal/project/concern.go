package project

import (
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/plan"
)

// kinships tell which tools belong together: a hook that lints many languages
// reaches all linters, but only those of a case's own language can explain what
// became of it. Tools are kin where a case is gated by both. A runner makes none
// kin, for it runs any of them.
type kinships struct {
	next    map[string]string // tool -> another one of its kin, or itself
	runners map[string]bool
}

func (k *kinships) of(tool string) string {
	for k.next[tool] != "" && k.next[tool] != tool {
		tool = k.next[tool]
	}
	return tool
}

func (k *kinships) join(tools []string) {
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

func (p *Project) kinships() *kinships {
	if p.kin != nil {
		return p.kin
	}
	p.kin = &kinships{next: make(map[string]string), runners: make(map[string]bool)}
	for _, c := range p.every {
		names, runners := gateTools(c)
		p.kin.join(names)
		for _, r := range runners {
			p.kin.runners[r] = true
		}
	}
	return p.kin
}

// Concerns reports whether a change of the tool can explain another verdict of the
// case. One that gates no case can explain any, and a case without gates, or one
// that the project does not have, can have any explanation.
func (p *Project) Concerns(key suites.Key, tool string) bool {
	kin := p.kinships()
	c := p.Find(key)
	if c == nil || kin.next[tool] == "" && !kin.runners[tool] {
		return true
	}
	names, runners := gateTools(c)
	if control, has := plan.ControlOf(c); has {
		if beside := p.Find(control); beside != nil {
			n, r := gateTools(beside)
			names, runners = append(names, n...), append(runners, r...)
		}
	}
	return len(names) == 0 || slices.Contains(runners, tool) ||
		slices.ContainsFunc(names, func(t string) bool { return kin.of(t) == kin.of(tool) })
}
