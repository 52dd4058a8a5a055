package equipment

import (
	"context"
	"maps"
	"slices"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/sandbox"
)

// A Diagnosis says what holds on this machine for a project.
type Diagnosis struct {
	Isolation sandbox.Choice
	Tools     []ToolUse // sorted by name
}

// A ToolUse is a program with those who want it.
type ToolUse struct {
	suites.Tool
	Hooks    []string     // scripts that call it, slash paths
	Skips    []suites.Key // cases that its absence skips
	Fails    []suites.Key // cases that its absence fails
	Required bool         // a full run does not start without it
}

// Diagnose looks at the machine: the isolation that the configuration gives, and
// every tool that the project's hooks call or its cases are gated by. No hook runs;
// known tools are asked for their versions, those of the project's own in isolation.
func Diagnose(ctx context.Context, o Options, p *project.Project) (*Diagnosis, error) {
	e, err := New(o, p, nil)
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

// checkedTool notes what it costs a case that its tool is absent.
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
