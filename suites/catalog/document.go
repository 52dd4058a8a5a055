package catalog

import (
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
)

// What aliases may blow a file up to, and merge keys.
const (
	maxValues = 4_000_000
	maxMerged = 1_000_000
)

// parse gives the root of the file's only document, free of aliases and merge
// keys, or nil when there is none to look at.
func (r *reader) parse(data []byte) *yaml.Node {
	docs, err := parseDocuments(data)
	if err != nil {
		r.syntax(data, err)
		return nil
	}
	if len(docs) == 0 || len(docs[0].Content) == 0 {
		r.problems = append(r.problems, suites.Problem{
			At: suites.Position{File: r.file, Line: 1, Column: 1}, What: "the file holds no suite", Hint: "start with suite: NAME"})
		return nil
	}
	if len(docs) > 1 {
		r.add(&docs[1], "a second document", "write one suite a file")
	}
	f := flattener{r: r, sizes: map[*yaml.Node]int{}}
	if size := f.flatten(&docs[0]); f.merged >= maxMerged || size >= maxValues && len(f.sizes) > 0 {
		r.add(docs[0].Content[0], "aliases make the file too large", "repeat less, or write several suites")
		return nil
	}
	if f.endless {
		return nil
	}
	return docs[0].Content[0]
}

// syntax reports what is no YAML at all.
func (r *reader) syntax(data []byte, err error) {
	p := suites.Problem{At: suites.Position{File: r.file}, What: "not valid YAML: " + err.Error()}
	if le := (*yaml.LoadError)(nil); errors.As(err, &le) {
		p.At.Line, p.At.Column, p.What = le.Mark.Line, le.Mark.Column, "not valid YAML: "+le.Message
		lines := strings.Split(string(data), "\n")
		if i := le.Mark.Line - 1; i >= 0 && i < len(lines) && strings.HasPrefix(strings.TrimLeft(lines[i], " "), "\t") {
			p.Hint = "indent with spaces, not tabs"
		}
	}
	r.problems = append(r.problems, p)
}

// A flattener puts in place what aliases and merge keys stand for.
type flattener struct {
	r       *reader
	sizes   map[*yaml.Node]int // of anchored nodes; 0 while one is being visited
	merged  int                // pairs that merge keys brought in
	endless bool
}

// flatten gives the number of values under n, up to maxValues.
func (f *flattener) flatten(n *yaml.Node) int {
	if n.Anchor != "" {
		size, seen := f.sizes[n]
		if seen && size == 0 {
			f.endless = true
			f.r.add(n, "&"+n.Anchor+" holds an alias of itself", "write its content out")
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

// merge replaces the << key of a mapping by the pairs it brings in.
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
			f.r.wrong(s, "<<", "an alias of keys with values", "")
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

// lookup gives the value of a key of a mapping, or nil.
func lookup(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
