package mutants

import "mvdan.cc/sh/v3/syntax"

// Extents are the functions of a script, outer ones first.
type Extents []*syntax.FuncDecl

// Functions are those of a script.
func (s *Source) Functions() Extents {
	var list Extents
	syntax.Walk(s.tree, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok {
			list = append(list, f)
		}
		return true
	})
	return list
}

// At is the name of the innermost function around an offset.
func (e Extents) At(offset int) string {
	name := ""
	for _, f := range e {
		if start(f) < offset && offset < end(f) {
			name = f.Name.Value
		}
	}
	return name
}
