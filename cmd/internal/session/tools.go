package session

import (
	"path"
	"slices"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/verdict"
)

// toolGroups groups tools that belong together, because a hook that lints many languages
// reaches all linters, but only those of a case's own language can explain its result.
// Tools that gate the same case are in one group. Runners do not join groups, because they
// run all tools.
type toolGroups struct {
	next    map[string]string // tool -> another one of its group, or itself
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

// gateTools returns the tools in the gates of a case, with the names that are searched
// for. It returns their runners separately.
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

// Concerning returns a function that reports whether a change of a tool can explain a changed
// verdict of a case: a tool of its gates, or a program that it was seen to use. If the function
// used returns nil, because the case was not observed, a tool that gates no case can explain it
// too, and so can any tool if it has no gates or the project does not have it.
func (p *Project) Concerning(used func(suites.Key) []suites.Tool) func(key suites.Key, tool string) bool {
	groups := p.toolGroups()
	return func(key suites.Key, tool string) bool {
		c := p.Find(key)
		if c == nil {
			return true
		}
		seen := used(key)
		names, runners := gateTools(c)
		if control, has := verdict.ControlOf(c); has {
			if other := p.Find(control); other != nil {
				n, r := gateTools(other)
				names, runners = append(names, n...), append(runners, r...)
				if seen != nil {
					seen = append(slices.Clone(seen), used(control)...)
				}
			}
		}
		switch {
		case seen != nil:
			return slices.Contains(names, tool) || slices.Contains(runners, tool) ||
				slices.ContainsFunc(seen, func(t suites.Tool) bool { return t.Name == path.Base(tool) })
		case len(names) == 0 || groups.next[tool] == "" && !groups.runners[tool]:
			return true
		}
		return slices.Contains(runners, tool) ||
			slices.ContainsFunc(names, func(t string) bool { return groups.of(t) == groups.of(tool) })
	}
}

// UsedBy returns the programs that the cases of an observation were seen to use, for Concerning.
func UsedBy(o record.Observed) func(suites.Key) []suites.Tool {
	used := o.UsedTools()
	return func(k suites.Key) []suites.Tool { return used[k] }
}

// applyNeeds applies the project's rules to a check: a list of required tools without
// "builtin" makes the built-in requirements optional, and a gate that skips makes an
// expected tool optional.
func (p *loader) applyNeeds(c *suites.Check) *suites.Check {
	if c == nil || c.Tool == "" || c.Need == suites.NeedAdvisory {
		return c
	}
	own := *c
	required := p.Config.Preflight.Required
	switch {
	case slices.Contains(required, c.Tool):
		own.Need = suites.NeedRequired
	case c.Need == suites.NeedRequired && !slices.Contains(required, config.Builtin):
		own.Need = suites.NeedOptional
	case c.Need == suites.NeedExpected && p.Config.Gates[c.Tool] == config.GateSkip:
		own.Need = suites.NeedOptional
	}
	return &own
}

// Requirements returns the tools that a full run needs: those without a check, and the
// checks of the others.
func (p *Project) Requirements() (tools []string, checks []*suites.Case) {
	for _, c := range p.Every() {
		if c.Check != nil && c.Check.Need == suites.NeedRequired {
			checks = append(checks, c)
		}
	}
	for _, tool := range p.Config.Preflight.Required {
		checked := slices.ContainsFunc(checks, func(c *suites.Case) bool { return c.Check.Tool == tool })
		if tool != config.Builtin && !checked {
			tools = append(tools, tool)
		}
	}
	return tools, checks
}
