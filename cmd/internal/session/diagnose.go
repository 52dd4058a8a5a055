package session

import (
	"context"
	"maps"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/sandbox"
)

// A Diagnosis describes the isolation and tools that a project has on this machine.
type Diagnosis struct {
	Isolation sandbox.Choice
	Tools     []ToolUse // sorted by name
}

// A ToolUse is a program with the hooks and cases that use it.
type ToolUse struct {
	suites.Tool
	Hooks    []string     // scripts that call it, as slash paths
	Skips    []suites.Key // cases that its absence skips
	Fails    []suites.Key // cases that its absence fails
	Required bool         // a full run does not start without it
}

// Diagnose determines the isolation that the configuration selects, and every tool that hooks
// call or by which cases are gated. No hook runs; known tools are run for their versions, the
// project's own tools in isolation.
func Diagnose(ctx context.Context, o EquipmentOptions, p *Project) (*Diagnosis, error) {
	e, err := newEquipment(o, p, nil)
	if err != nil && e.isolation.Refused() == nil {
		return nil, err
	}
	uses := make(map[string]*ToolUse)
	use := func(name string) *ToolUse {
		if uses[name] == nil {
			uses[name] = &ToolUse{Tool: suites.Tool{Name: name}}
		}
		return uses[name]
	}
	for name, callers := range p.Callers() {
		use(name).Hooks = callers
	}
	for _, c := range p.Every() {
		if c.Check != nil {
			checkedTool(c, use)
		}
		for _, g := range c.Gates {
			if u := use(g.Tool); g.Policy == suites.GateFail {
				u.Fails = append(u.Fails, c.Key())
			} else {
				u.Skips = append(u.Skips, c.Key())
			}
		}
	}
	tools, required := p.Requirements()
	for _, name := range tools {
		use(name).Required = true
	}
	for _, c := range required {
		use(c.Check.Tool).Required = true
	}
	found := e.Tools.Find(slices.Sorted(maps.Keys(uses)))
	e.Runner.Versions(ctx, e.Tools, found)
	d := &Diagnosis{Isolation: e.isolation}
	for _, t := range found {
		u := uses[t.Name]
		u.Tool = t
		d.Tools = append(d.Tools, *u)
	}
	return d, nil
}

// checkedTool records whether a case fails or is skipped if its tool is absent.
func checkedTool(c *suites.Case, use func(string) *ToolUse) {
	switch c.Check.Need {
	case suites.NeedRequired, suites.NeedExpected:
		if c.Check.Tool != "" {
			use(c.Check.Tool).Fails = append(use(c.Check.Tool).Fails, c.Key())
		}
	case suites.NeedOptional:
		use(c.Check.Tool).Skips = append(use(c.Check.Tool).Skips, c.Key())
	case suites.NeedAdvisory:
	}
}
