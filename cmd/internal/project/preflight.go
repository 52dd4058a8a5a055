package project

import (
	"slices"

	"hookwatch/config"
	"hookwatch/suites"
)

// needed is a check as the project's own rules have it: a list of required tools
// that does not speak of the built-in ones leaves those to it, and gates say of a
// tool that is merely expected what its absence means.
func (p *Project) needed(c *suites.Check) *suites.Check {
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

// requirements are the tools without which a full run does not start: those that
// no check looks for, and the checks of the others.
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
