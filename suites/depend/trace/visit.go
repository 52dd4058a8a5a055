package trace

import (
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

func (r *factReader) visit(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Lit:
		r.text(n.Value)
	case *syntax.SglQuoted:
		r.text(n.Value)
	case *syntax.CallExpr:
		r.assigns(n.Assigns)
		if len(n.Args) > 0 {
			r.call(commandOf(n.Args), r.taken[n])
		}
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			r.take(n.X)
		}
	case *syntax.CmdSubst:
		for _, st := range n.Stmts {
			r.take(st)
		}
	case *syntax.DeclClause:
		r.declare(n)
	case *syntax.UnaryTest:
		if w, ok := n.X.(*syntax.Word); ok && !readsContent[n.Op] {
			r.told[w] = true
		}
	case *syntax.BinaryTest:
		if w, ok := n.Y.(*syntax.Word); ok && matchOps[n.Op] {
			r.told[w] = true // a pattern, not names
		}
	case *syntax.CaseItem:
		for _, w := range n.Patterns {
			r.told[w] = true
		}
	case *syntax.ParamExp:
		r.parameter(n)
	case *syntax.Redirect:
		if n.Hdoc != nil {
			r.told[n.Hdoc] = true
		}
	case *syntax.Word:
		r.name(n)
	}
}

// facts looks at the nodes of a statement that belong to no other.
func (b *builder) facts(st *Statement) Facts {
	if st.Function != nil {
		return Facts{Words: []string{st.Function.Name}}
	}
	r := &factReader{words: map[string]bool{}, names: map[string]bool{}, told: map[*syntax.Word]bool{}, taken: map[syntax.Node]bool{}, shown: map[string]bool{}, sent: map[string]bool{}}
	b.own(st, func(n syntax.Node) {
		r.visit(n)
		if sig, ok := signatureOf(n); ok {
			st.signatures = append(st.signatures, sig)
		}
	})
	r.facts.Words = slices.Sorted(maps.Keys(r.words))
	r.facts.Names = slices.Sorted(maps.Keys(r.names))
	r.facts.Shown = slices.Sorted(maps.Keys(r.shown))
	r.facts.Exported = slices.Sorted(maps.Keys(r.sent))
	return r.facts
}

// own walks the nodes of a statement that belong to no other, outer ones first.
func (b *builder) own(st *Statement, visit func(syntax.Node)) {
	syntax.Walk(st.node, func(n syntax.Node) bool {
		if n == nil || n != st.node && b.hosts[n] {
			return false
		}
		visit(n)
		return true
	})
}
