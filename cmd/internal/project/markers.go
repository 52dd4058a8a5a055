package project

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/cmd/internal/notify"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/markers"
)

// Markers are the case's own references and what they resolve to.
func (p *Project) Markers(c *suites.Case) []Marker {
	out := []Marker{}
	for _, m := range p.Graph.Markers(c) {
		out = append(out, markerOf(m.Ref, m.Resolution))
	}
	return out
}

func markerOf(ref markers.Ref, meaning markers.Resolution) Marker {
	m := Marker{Source: ref.Source, Section: ref.Section, Why: meaning.Why}
	if meaning.Found {
		m.At, m.Why = meaning.At().String(), ""
	}
	return m
}

// checkMarkers looks at the markers of a person's own cases and documents. What
// the policy says of one that does not resolve, or of a case without any, holds
// for them; built-in cases speak of projects that keep certain documents, and what
// is made of registered hooks claims nothing.
func (p *Project) checkMarkers() []suites.Problem {
	if p.Config.Verify == config.VerifyOff {
		return nil
	}
	var problems []suites.Problem
	for i := range p.Suites {
		if p.Suites[i].Builtin || p.Suites[i].Name == RegisteredSuite {
			continue
		}
		problems = append(problems, p.unmarked(&p.Suites[i])...)
		for j := range p.Suites[i].Cases {
			problems = append(problems, p.unresolved(&p.Suites[i].Cases[j])...)
		}
	}
	documents := p.unresolvedClaims()
	if p.Config.Verify == config.VerifyStrict {
		return append(problems, documents...)
	}
	for _, problem := range problems {
		p.Warnings = append(p.Warnings, problem.Error())
	}
	if n := len(documents); n > 0 { // a document may have many, and verify lists them
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s: %d of the markers in spec documents that name cases do not resolve (hookwatch verify says why)",
			documents[0].At, n))
	}
	return nil
}

// unmarked names the cases of a suite that nothing authorises, all in one: a new
// suite has many.
func (p *Project) unmarked(s *suites.Suite) []suites.Problem {
	var ids []string
	var at suites.Position
	for i := range s.Cases {
		c := &s.Cases[i]
		if len(c.Verify) > 0 || slices.ContainsFunc(p.Graph.Claiming(c), func(m depend.Resolved) bool { return m.Found }) {
			continue
		}
		if len(ids) == 0 {
			at = c.At
		}
		ids = append(ids, c.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	return []suites.Problem{{At: at, What: fmt.Sprintf("%s without a marker: %s", notify.Count(len(ids), "case"), notify.IDs(ids)),
		Hint: `add verify: ["file §section"], name it beside a marker of a spec document, or set verify: off`}}
}

func (p *Project) unresolved(c *suites.Case) []suites.Problem {
	var problems []suites.Problem
	for _, m := range p.Markers(c) {
		if m.At == "" {
			problems = append(problems, suites.Problem{At: c.At, What: fmt.Sprintf("case %s: marker %s does not resolve", c.ID, m.Ref()), Hint: m.Why})
		}
	}
	return problems
}

// unresolvedClaims are the markers of spec documents that lead nowhere and name
// a case that there is.
func (p *Project) unresolvedClaims() []suites.Problem {
	var problems []suites.Problem
	for _, spec := range p.Graph.Specs() {
		claims, err := p.Graph.Claims(spec)
		if err != nil {
			problems = append(problems, suites.Problem{At: suites.Position{File: spec}, What: err.Error()})
		}
		for _, c := range claims {
			m := c.Marker
			if !c.Meaning.Found && len(p.unknown(m.IDs)) < len(m.IDs) {
				problems = append(problems, suites.Problem{At: m.At(),
					What: fmt.Sprintf("marker %s of %s does not resolve", m.Ref, strings.Join(m.IDs, ", ")), Hint: c.Meaning.Why})
			}
		}
	}
	return problems
}
