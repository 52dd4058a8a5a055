package edit

import (
	"maps"
	"slices"

	"hookwatch/suites/depend/trace"
)

func byName(b *trace.Block) map[string][]*trace.Statement {
	m := map[string][]*trace.Statement{}
	for _, s := range b.Statements {
		if s.Function != nil {
			m[s.Function.Name] = append(m[s.Function.Name], s)
		}
	}
	return m
}

func names(a, b map[string][]*trace.Statement) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// onlyMoved reports whether two blocks have the same steps in the same order and the same
// definitions, possibly in another order.
func onlyMoved(old, new *trace.Block) bool {
	os, ns := steps(old), steps(new)
	if len(os) != len(ns) || len(old.Statements) != len(new.Statements) {
		return false
	}
	for i := range os {
		if os[i].Full != ns[i].Full {
			return false
		}
	}
	count := map[uint64]int{}
	for i := range old.Statements {
		count[old.Statements[i].Full]++
		count[new.Statements[i].Full]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// previous returns the nearest step before an index that has a match, as its old statement, and
// nil if there is none.
func previous(b *trace.Block, index int, old func(*trace.Statement) *trace.Statement, back map[*trace.Statement]*trace.Statement) *trace.Statement {
	matched := map[*trace.Statement]bool{}
	for _, o := range back {
		matched[o] = true
	}
	for index--; index >= 0; index-- {
		s := b.Statements[index]
		if s.Function != nil {
			continue
		}
		if o := old(s); o != nil && matched[o] {
			return o
		}
	}
	return nil
}

// defined returns a guard for runs that a definition affected.
func defined(b *trace.Block, s *trace.Statement, name string) guard {
	g := entry(s.Function.Body)
	g.function = name
	if exposed(b, s.Index) {
		g = g.or(before(b, s.Index))
	}
	return g
}

// exposed reports whether the status of a definition, which is 0, can be observed: by the next
// statement, or as the last of its block.
func exposed(b *trace.Block, index int) bool {
	for _, s := range b.Statements[index+1:] {
		if s.Function == nil {
			return s.Facts.Status
		}
	}
	return true
}

// ends returns a guard for runs that reached any place of a block.
func ends(b *trace.Block) guard {
	g := guard{}
	for _, s := range b.Statements {
		g.keys = s.Keys(g.keys)
	}
	if len(g.keys) == 0 || b.Of != nil || b.Function != nil {
		return g.or(entry(b))
	}
	return g
}

// steps returns the statements of a block without definitions.
func steps(b *trace.Block) []*trace.Statement {
	var list []*trace.Statement
	for _, s := range b.Statements {
		if s.Function == nil {
			list = append(list, s)
		}
	}
	return list
}
