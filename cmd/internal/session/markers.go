package session

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/markers"
)

// Markers returns the case's own references and their resolutions.
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

// checkMarkers checks the markers of the user's own cases and documents. The policy for
// markers that do not resolve, and for cases without any, applies only to these, because
// built-in cases refer to documents that only some projects have, and cases made of
// registered hooks have no markers.
func (p *loader) checkMarkers() []suites.Problem {
	if p.Config.Verify == config.VerifyOff {
		return nil
	}
	var problems []suites.Problem
	for i := range p.Suites {
		if p.Suites[i].Builtin || p.Suites[i].Name == RegisteredSuite {
			continue
		}
		problems = append(problems, p.checkMarked(&p.Suites[i])...)
		problems = append(problems, p.checkResolved(&p.Suites[i])...)
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

// checkMarked returns one problem for all cases of a suite without a marker, because a new
// suite has many.
func (p *loader) checkMarked(s *suites.Suite) []suites.Problem {
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
	if len(ids) == 0 || len(ids) == len(s.Cases) && len(p.specs) == 0 && p.Config.Verify != config.VerifyStrict {
		return nil // the project does not use markers
	}
	return []suites.Problem{{At: at, What: fmt.Sprintf("%s without a marker: %s", Count(len(ids), "case"), IDs(ids)),
		Hint: `add verify: ["file §section"], name it next to a marker of a spec document, or set verify: off`}}
}

// checkResolved returns one problem for each reason why markers of a suite's cases do not resolve,
// because a renamed script has many.
func (p *loader) checkResolved(s *suites.Suite) []suites.Problem {
	var problems []suites.Problem
	ids, refs := map[string][]string{}, map[string]string{} // by reason
	for i := range s.Cases {
		c := &s.Cases[i]
		for _, m := range p.Markers(c) {
			if m.At != "" {
				continue
			}
			if ids[m.Why] == nil {
				problems = append(problems, suites.Problem{At: c.At, Hint: m.Why})
			}
			ids[m.Why], refs[m.Why] = append(ids[m.Why], c.ID), m.Ref()
		}
	}
	for i := range problems {
		all := slices.Compact(ids[problems[i].Hint])
		if problems[i].What = fmt.Sprintf("case %s: marker %s does not resolve", all[0], refs[problems[i].Hint]); len(all) > 1 {
			problems[i].What = fmt.Sprintf("markers of %s do not resolve", IDs(all))
		}
	}
	return problems
}

// unresolvedClaims returns the markers of spec documents that do not resolve and name an
// existing case.
func (p *loader) unresolvedClaims() []suites.Problem {
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

// A Verified is one marker of a spec document or of a case, and its resolution.
type Verified struct {
	Spec     string // the document, the suite file, or builtin: and a suite
	Line     int    // 0 if unknown
	Marker   Marker
	IDs      []string
	Claim    string // the text of the claim about the cases
	Resolved bool
	Rule     string   // how it was resolved
	Unknown  []string // the IDs that no suite has
}

// Sources are the files to search for markers.
type Sources struct {
	Documents []string // spec documents
	Suites    []string // suite files, and builtin: with the name of a suite
}

// SourcesOf returns the files of the project with markers.
func SourcesOf(p *Project) Sources {
	s := Sources{Documents: p.Graph.Specs()}
	for _, c := range p.Cases {
		if spec := specOf(p, c); !slices.Contains(s.Suites, spec) {
			s.Suites = append(s.Suites, spec)
		}
	}
	return s
}

// PickSources returns the sources with the given names: a document, a suite file, a built-in
// suite, or a directory of some. A Markdown file that is not a spec document is accepted
// as well. It returns an error for a name without sources.
func PickSources(p *Project, s Sources, dir string, names []string) (Sources, error) {
	var kept Sources
	for _, name := range names {
		rel := p.RelFrom(dir, name)
		is := func(spec string) bool {
			return spec == name || spec == rel || strings.HasPrefix(spec, rel+"/") || rel == "."
		}
		before := len(kept.Documents) + len(kept.Suites)
		kept.Documents = append(kept.Documents, matching(s.Documents, is)...)
		kept.Suites = append(kept.Suites, matching(s.Suites, is)...)
		if len(kept.Documents)+len(kept.Suites) > before {
			continue
		}
		if ext := strings.ToLower(path.Ext(rel)); (ext == ".md" || ext == ".markdown") && p.Exists(rel) {
			kept.Documents = append(kept.Documents, rel)
			continue
		}
		return kept, fmt.Errorf("%s: neither a spec document nor a suite%s", name,
			markers.Nearest(name, slices.Concat(s.Documents, s.Suites)))
	}
	slices.Sort(kept.Documents)
	slices.Sort(kept.Suites)
	kept.Documents, kept.Suites = slices.Compact(kept.Documents), slices.Compact(kept.Suites)
	return kept, nil
}

func matching(all []string, is func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !is(s) })
}

// String returns the name of a single source, or else the number of sources.
func (s Sources) String() string {
	return several(s.Documents, "document") + " and " + several(s.Suites, "suite")
}

func several(names []string, noun string) string {
	switch len(names) {
	case 0:
		return "no " + noun
	case 1:
		return names[0]
	default:
		return fmt.Sprintf("%d %ss", len(names), noun)
	}
}

// Verify resolves the markers of the sources, documents first.
func Verify(p *Project, s Sources) ([]Verified, error) {
	var all []Verified
	for _, doc := range s.Documents {
		claims, err := p.Graph.Claims(doc)
		if err != nil {
			return nil, err
		}
		for _, c := range claims {
			m := c.Marker
			v := Verified{Spec: m.Spec, Line: m.Line, IDs: m.IDs, Claim: m.Claim, Unknown: p.unknown(m.IDs)}
			v.resolve(m.Ref, c.Meaning)
			all = append(all, v)
		}
	}
	for _, c := range p.Cases {
		if spec := specOf(p, c); slices.Contains(s.Suites, spec) {
			all = append(all, verifyCase(p, c, spec)...)
		}
	}
	return all, nil
}

// verifyCase resolves the markers of a case.
func verifyCase(p *Project, c *suites.Case, spec string) []Verified {
	var all []Verified
	for _, m := range p.Graph.Markers(c) {
		v := Verified{Spec: spec, Line: c.At.Line, IDs: []string{c.ID}, Claim: c.Name + ": " + c.Summary}
		v.resolve(m.Ref, m.Resolution)
		all = append(all, v)
	}
	return all
}

func (v *Verified) resolve(ref markers.Ref, meaning markers.Resolution) {
	v.Marker, v.Resolved, v.Rule = markerOf(ref, meaning), meaning.Found, string(meaning.Rule)
}

// specOf returns the source that contains a case.
func specOf(p *Project, c *suites.Case) string {
	if slices.ContainsFunc(p.Suites, func(s suites.Suite) bool { return s.Builtin && s.Name == c.Suite }) {
		return config.Builtin + ":" + c.Suite
	}
	return c.At.File
}
