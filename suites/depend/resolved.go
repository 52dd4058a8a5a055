package depend

import (
	"hookwatch/suites"
	"hookwatch/suites/markers"
)

// A Resolved is one reference of a case's own markers and what it means.
type Resolved struct {
	markers.Ref
	markers.Resolution
}

// Markers resolves the references that a case itself carries. One that cannot
// be read is not found, with the reason.
func (g *Graph) Markers(c *suites.Case) []Resolved {
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []Resolved
	for _, text := range c.Verify {
		refs, err := markers.ParseRef(text)
		if err != nil {
			out = append(out, Resolved{markers.Ref{Source: text}, markers.Resolution{Why: err.Error()}})
			continue
		}
		for _, ref := range refs {
			out = append(out, Resolved{ref, g.documents().resolver.Resolve(ref, nil)})
		}
	}
	return out
}
