package depend

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/markers"
)

// documentsAtMost limits the total size of the spec documents in bytes.
const documentsAtMost = 16 << 20

// documents reads the spec documents unless they are cached.
func (g *Graph) documents() *claims {
	if g.claims != nil {
		return g.claims
	}
	g.known = nil
	c := &claims{
		aliases: map[string]string{}, byID: map[string][]claim{}, resolved: map[question]answer{},
		docs: map[string]*markers.Document{},
	}
	maps.Copy(c.aliases, g.project.Aliases)
	left := documentsAtMost
	for _, p := range g.specPaths() {
		content, err := g.files.document(p)
		if disk.IsRefused(err) || errors.Is(err, fs.ErrInvalid) {
			c.refused = append(c.refused, err)
			continue
		}
		if left -= len(content); left < 0 {
			c.refused = append(c.refused, fmt.Errorf("%s: more than %d MB of spec documents: it is not read", p, documentsAtMost>>20))
			continue
		}
		if err == nil {
			doc := markers.Read(p, content, g.ids(c))
			if doc.Refused != nil {
				c.refused = append(c.refused, fmt.Errorf("%s: %w", p, doc.Refused))
				continue
			}
			c.add(doc)
		}
		c.paths = append(c.paths, p)
	}
	g.claims = c
	c.resolver = g.resolver()
	return c
}

// ids returns the IDs of all cases, by which documents name them.
func (g *Graph) ids(c *claims) *markers.IDs {
	if c.known == nil && g.project.IDs != nil {
		c.known = markers.NewIDs(g.project.IDs())
	}
	return c.known
}

func (c *claims) add(doc *markers.Document) {
	c.docs[doc.Path] = doc
	for name, source := range doc.Aliases {
		if _, taken := c.aliases[name]; !taken {
			c.aliases[name] = source
		}
		c.name(source)
	}
	for _, m := range doc.Markers {
		c.name(m.Source)
		if m.Unresolved {
			continue
		}
		for _, id := range m.IDs {
			c.byID[id] = append(c.byID[id], claim{m.Ref, doc, "marker at " + m.At().String()})
		}
	}
}

// name records a path from the root that a document names.
func (c *claims) name(source string) {
	if p := path.Clean(source); strings.Contains(p, "/") && !path.IsAbs(p) && !strings.HasPrefix(p, "..") && !slices.Contains(c.named, p) {
		c.named = append(c.named, p)
	}
}

// specPaths returns the spec documents that exist.
func (g *Graph) specPaths() []string {
	found := map[string]bool{}
	for _, pattern := range g.project.Specs {
		pattern = g.files.slash(pattern)
		if base := fixedPart(pattern); base != pattern {
			rest := strings.TrimPrefix(strings.TrimPrefix(pattern, base), "/")
			g.files.glob(base, rest, found)
		} else if f := g.files.get(pattern); f.digest != "" || errors.Is(f.err, fs.ErrInvalid) {
			found[pattern] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// mayHoldSpecs reports whether a path is, or would be, a spec document or a directory of some.
func (g *Graph) mayHoldSpecs(p string) bool {
	for _, pattern := range g.project.Specs {
		pattern = g.files.slash(pattern)
		base := fixedPart(pattern)
		if ok, err := doublestar.Match(pattern, p); ok && err == nil || p == base || below(base, p) {
			return true
		}
		if below(p, base) && g.files.get(p).digest == "" { // no file: a directory, or removed
			return true
		}
	}
	return false
}

// fixedPart returns the directory before a pattern's first special character, and a path without
// special characters unchanged.
func fixedPart(pattern string) string {
	base, rest := doublestar.SplitPattern(pattern)
	if !strings.ContainsAny(rest, "*?[{") {
		return path.Join(base, rest)
	}
	return path.Clean(base)
}

// resolve returns the inputs for a reference: the section if it is known, otherwise the file,
// otherwise every file that it may refer to.
func (g *Graph) resolve(ref markers.Ref, doc *markers.Document) []suites.Input {
	c := g.documents()
	q := question{ref, doc}
	if a, ok := c.resolved[q]; ok {
		return a.inputs
	}
	res := c.resolver.Resolve(ref, doc)
	a := answer{tried: res.Tried}
	switch {
	case res.Digest != "":
		a.inputs = []suites.Input{{Path: res.File, Section: res.Section, Digest: res.Digest}}
	case res.File != "":
		a.inputs = []suites.Input{{Path: res.File, Digest: g.files.get(res.File).digest}}
	case len(res.Candidates) > 0:
		for _, p := range res.Candidates {
			a.inputs = append(a.inputs, suites.Input{Path: p, Digest: g.files.get(p).digest})
		}
	default:
		a.inputs = []suites.Input{{Path: path.Clean(ref.Source)}}
	}
	c.resolved[q] = a
	return a.inputs
}

// askAgain resolves references to changed files again. It returns the inputs that did not
// change, and whether a path changed at which a marker would now find another file.
func (g *Graph) askAgain(changed func(p string) bool) (same map[suites.Input]bool, moved bool) {
	stale := map[question]bool{}
	for q, a := range g.claims.resolved {
		for _, p := range a.tried {
			if changed(p) {
				stale[q], moved = true, true
			}
		}
		for _, in := range a.inputs {
			stale[q] = stale[q] || changed(in.Path)
		}
	}
	same = map[suites.Input]bool{}
	for q, is := range stale {
		if !is {
			continue
		}
		delete(g.claims.resolved, q)
		if moved {
			continue // all will be resolved again
		}
		for _, in := range g.resolve(q.ref, q.doc) {
			same[in] = true
		}
	}
	return same, moved
}

// A Resolved is one reference of a case's own markers and its target.
type Resolved struct {
	markers.Ref
	markers.Resolution
}

// Markers resolves the references in a case's own markers. If one cannot be parsed, its
// resolution contains the reason.
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

// A Claimed is one marker of a spec document and its target.
type Claimed struct {
	Marker  markers.Marker
	Meaning markers.Resolution
}

// Specs returns the spec documents that exist, sorted, as slash paths.
func (g *Graph) Specs() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.documents().paths)
}

// RefusedSpecs returns the reasons why existing spec documents are not read.
func (g *Graph) RefusedSpecs() []error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.documents().refused)
}

// Claims returns the markers of a document in order of appearance. The document need not be one
// of the Specs. It returns an error if the document cannot be read.
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

// Claiming returns the markers of spec documents that name a case.
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

// Section resolves a section of a file as a marker would.
func (g *Graph) Section(path, section string) markers.Resolution {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.documents().resolver.Resolve(markers.Ref{Source: path, Section: section}, nil)
}
