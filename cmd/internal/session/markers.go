package session

import (
	"fmt"

	"hookwatch/config"
	"hookwatch/suites"
)

// Markers are the case's own references and what they resolve to.
func (p *Project) Markers(c *suites.Case) []Marker {
	out := []Marker{}
	for _, m := range p.Graph.Markers(c) {
		marker := Marker{Source: m.Ref.Source, Section: m.Ref.Section, Why: m.Why}
		if m.Found {
			marker.At, marker.Why = m.At().String(), ""
		}
		out = append(out, marker)
	}
	return out
}

// checkMarkers looks at the markers of a person's own cases. What the policy
// says of one that does not resolve, or of a case without any, holds for them;
// built-in cases speak of projects that keep certain documents.
func (p *Project) checkMarkers() []suites.Problem {
	if p.Config.Verify == config.VerifyOff {
		return nil
	}
	var problems []suites.Problem
	for i := range p.Suites {
		if p.Suites[i].Builtin {
			continue
		}
		for j := range p.Suites[i].Cases {
			problems = append(problems, p.unresolved(&p.Suites[i].Cases[j])...)
		}
	}
	if p.Config.Verify == config.VerifyStrict {
		return problems
	}
	for _, problem := range problems {
		p.Warnings = append(p.Warnings, problem.Error())
	}
	return nil
}

func (p *Project) unresolved(c *suites.Case) []suites.Problem {
	if len(c.Verify) == 0 {
		return []suites.Problem{{At: c.At, What: fmt.Sprintf("case %s has no marker", c.ID),
			Hint: `add verify: ["file §section"], or set verify: off`}}
	}
	var problems []suites.Problem
	for _, m := range p.Markers(c) {
		if m.At == "" {
			problems = append(problems, suites.Problem{At: c.At, What: fmt.Sprintf("case %s: marker %s does not resolve", c.ID, m.Ref()), Hint: m.Why})
		}
	}
	return problems
}
