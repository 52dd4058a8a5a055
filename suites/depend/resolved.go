package depend

import (
	"fmt"
	"slices"

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

// A Claimed is one marker of a spec document and what it means.
type Claimed struct {
	Marker  markers.Marker
	Meaning markers.Resolution
}

// Specs lists the spec documents that are there, sorted, as slash paths.
func (g *Graph) Specs() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.documents().paths)
}

// RefusedSpecs says of spec documents that are there why they are not read.
func (g *Graph) RefusedSpecs() []error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.documents().refused)
}

// Claims are the markers of a document in order of appearance. The document
// need not be one of the Specs; an error tells that it cannot be read.
func (g *Graph) Claims(document string) ([]Claimed, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.documents()
	doc := c.docs[document]
	if doc == nil {
		content, err := g.files.document(document)
		if err != nil {
			return nil, err
		}
		if doc = markers.Read(document, content, g.ids(c)); doc.Refused != nil {
			return nil, fmt.Errorf("%s: %w", document, doc.Refused)
		}
	}
	out := make([]Claimed, len(doc.Markers))
	for i, m := range doc.Markers {
		out[i] = Claimed{m, c.resolver.Resolve(m.Ref, doc)}
	}
	return out, nil
}

// Claiming lists the markers of spec documents that name a case.
func (g *Graph) Claiming(c *suites.Case) []Resolved {
	g.mu.Lock()
	defer g.mu.Unlock()
	docs := g.documents()
	var out []Resolved
	for _, id := range []string{c.ID, c.Key().String()} {
		for _, cl := range docs.byID[id] {
			out = append(out, Resolved{cl.ref, docs.resolver.Resolve(cl.ref, cl.doc)})
		}
	}
	return out
}

// Section looks a section of a file up, as a marker would name it.
func (g *Graph) Section(path, section string) markers.Resolution {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.documents().resolver.Resolve(markers.Ref{Source: path, Section: section}, nil)
}
