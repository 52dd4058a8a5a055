package yamlform

import (
	"slices"

	"go.yaml.in/yaml/v4"
)

// Limits for files that expand by aliases and merge keys.
const (
	maxValues = 4_000_000
	maxMerged = 1_000_000
)

// Flatten replaces a document's aliases and merge keys by their values. It reports whether the
// document can be read then; the hint is added to the problem of a document that gets too large.
func (r *Reader) Flatten(doc *yaml.Node, hint string) bool {
	f := flattener{r: r, sizes: map[*yaml.Node]int{}}
	if size := f.flatten(doc); f.merged >= maxMerged || size >= maxValues && len(f.sizes) > 0 {
		r.Add(doc.Content[0], "aliases make the file too large", hint)
		return false
	}
	return !f.endless
}

// A flattener processes one document.
type flattener struct {
	r       *Reader
	sizes   map[*yaml.Node]int // of anchored nodes; 0 during a visit
	merged  int                // number of pairs added by merge keys
	endless bool
}

// flatten returns the number of values under n, up to maxValues.
func (f *flattener) flatten(n *yaml.Node) int {
	if n.Anchor != "" {
		size, seen := f.sizes[n]
		if seen && size == 0 {
			f.endless = true
			f.r.Add(n, "&"+n.Anchor+" holds an alias of itself", "write its content out")
			return 1
		}
		if seen {
			return size
		}
		f.sizes[n] = 0
	}
	size := 1
	for i, c := range n.Content {
		if c.Kind == yaml.AliasNode {
			c = c.Alias
			n.Content[i] = c
		}
		size = min(maxValues, size+f.flatten(c))
	}
	if n.Kind == yaml.MappingNode && !f.endless {
		f.merge(n)
	}
	if n.Anchor != "" {
		f.sizes[n] = size
	}
	return size
}

// merge replaces the << key of a mapping by the pairs of its value.
func (f *flattener) merge(n *yaml.Node) {
	at := slices.IndexFunc(n.Content, func(k *yaml.Node) bool { return k.Kind == yaml.ScalarNode && k.ShortTag() == "!!merge" })
	if at < 0 || at%2 == 1 {
		return
	}
	sources := []*yaml.Node{n.Content[at+1]}
	if sources[0].Kind == yaml.SequenceNode {
		sources = sources[0].Content
	}
	n.Content = slices.Delete(slices.Clone(n.Content), at, at+2)
	has := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		has[n.Content[i].Value] = true
	}
	for _, s := range sources {
		if s.Kind != yaml.MappingNode {
			f.r.Wrong(s, "<<", "an alias of keys with values", "")
			continue
		}
		for i := 0; i+1 < len(s.Content) && f.merged < maxMerged; i += 2 {
			if key := s.Content[i].Value; !has[key] {
				has[key] = true
				f.merged++
				n.Content = append(n.Content, s.Content[i], s.Content[i+1])
			}
		}
	}
}
