package session

import (
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/plan"
)

// kinships tell which tools belong together: a hook that lints many languages
// reaches all linters, but only those of a case's own language can explain what
// became of it. Tools are kin where a case is gated by both.
type kinships map[string]string // tool -> another one of its kin, or itself

func (k kinships) of(tool string) string {
	for k[tool] != "" && k[tool] != tool {
		tool = k[tool]
	}
	return tool
}

func (k kinships) join(tools []string) {
	for _, t := range tools {
		if k[t] == "" {
			k[t] = t
		}
		k[k.of(t)] = k.of(tools[0])
	}
}

// gateTools lists what the gates of a case are about, with the names by which it
// is looked for.
func gateTools(c *suites.Case) []string {
	var names []string
	for _, g := range c.Gates {
		if !suites.IsFilter(g.Tool) {
			names = append(names, (&suites.Check{Tool: g.Tool, Places: g.Places}).Programs()...)
		}
	}
	return names
}

func (p *Project) kinships() kinships {
	if p.kin == nil {
		p.kin = make(kinships)
		for _, c := range p.every {
			if tools := gateTools(c); len(tools) > 0 {
				p.kin.join(tools)
			}
		}
	}
	return p.kin
}

// Concerns reports whether a change of the tool can explain another verdict of the
// case. One that gates no case can explain any, and a case without gates, or one
// that the project does not have, can have any explanation.
func (p *Project) Concerns(key suites.Key, tool string) bool {
	kin := p.kinships()
	c := p.find(key)
	if c == nil || kin[tool] == "" {
		return true
	}
	own := gateTools(c)
	if control, has := plan.ControlOf(c); has {
		if beside := p.find(control); beside != nil {
			own = append(own, gateTools(beside)...)
		}
	}
	return len(own) == 0 || slices.ContainsFunc(own, func(t string) bool { return kin.of(t) == kin.of(tool) })
}
