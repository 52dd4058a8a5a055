package catalog

import (
	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
)

// Write returns a file that Load reads as the same suite. It relies on no defaults: each case
// has all values that apply to it. If ascii is set, all other characters are escaped.
func Write(s suites.Suite, ascii bool) ([]byte, error) {
	tables()
	file := suiteForm{suite: s.Name, agent: s.Agent, appliesTo: s.AppliesTo}
	file.cases = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for i := range s.Cases {
		c := formOf(&s.Cases[i])
		file.cases.Content = append(file.cases.Content, encodeFields(caseFields, &c))
	}
	return yaml.Dump(encodeFields(suiteFields, &file), yaml.WithIndent(2), yaml.WithLineWidth(100), yaml.WithUnicode(!ascii))
}

// formOf returns the form of a case.
func formOf(c *suites.Case) caseForm {
	f := caseForm{id: c.ID, name: c.Name, summary: c.Summary, contradicts: c.Contradicts, check: c.Check}
	f.category, f.verify = c.Category, c.Verify
	if c.Check != nil {
		return f // the other keys are for firing a hook
	}
	around := c.WantedEnv()
	f.hook, f.registered, f.chain, f.control, f.repo, f.server = c.Hook, c.Registered, c.Chain, c.Control, c.Repo, around.Server
	f.layer, f.serial, f.timeout, f.budget, f.gates, f.env, f.project = c.Layer, c.Serial, c.Timeout, c.Budget, c.Gates, c.Env, c.Project
	f.absentTools, f.programs, f.unset, f.cwd = around.AbsentTools, around.Programs, around.Unset, around.Cwd
	if f.registered != "" {
		f.hook = ""
	}
	if s := &c.Steps[0]; len(c.Steps) == 1 && s.Hook == "" && s.Registered == "" && s.Env == nil {
		f.stepForm.Step = *s
		f.event, f.tool = s.Event, s.Tool
		return f
	}
	for _, s := range c.Steps {
		f.steps = append(f.steps, stepForm{Step: s})
	}
	return f
}
