package project

import (
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/plan"
)

func (p *Project) toolGroups() *toolGroups {
	if p.groups != nil {
		return p.groups
	}
	p.groups = &toolGroups{next: make(map[string]string), runners: make(map[string]bool)}
	for _, c := range p.every {
		names, runners := gateTools(c)
		p.groups.join(names)
		for _, r := range runners {
			p.groups.runners[r] = true
		}
	}
	return p.groups
}

// Concerns reports whether a change of the tool can explain another verdict of the
// case. One that gates no case can explain any, and a case without gates, or one
// that the project does not have, can have any explanation.
func (p *Project) Concerns(key suites.Key, tool string) bool {
	groups := p.toolGroups()
	c := p.Find(key)
	if c == nil || groups.next[tool] == "" && !groups.runners[tool] {
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
		slices.ContainsFunc(names, func(t string) bool { return groups.of(t) == groups.of(tool) })
}
