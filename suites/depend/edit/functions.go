package edit

import (
	"fmt"
	"maps"
	"slices"

	"hookwatch/suites/depend/trace"
)

// functions compares the definitions of two blocks by name. One that changed
// its place among the steps was defined at another time: it counts as removed
// and added.
func (d *differ) functions(old, new *trace.Block, os, ns []*trace.Statement, match []int) {
	back := make(map[*trace.Statement]*trace.Statement, len(ns))
	for i, j := range match {
		if j >= 0 {
			back[ns[j]] = os[i]
		}
	}
	olds, news := byName(old), byName(new)
	for _, name := range names(olds, news) {
		o, n := olds[name], news[name]
		if len(o) != len(n) {
			d.replaced(old, new, name, o, n)
			continue
		}
		for i := range o {
			d.function(old, new, o[i], n[i], back)
		}
	}
}

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

// function compares two definitions of the same name.
func (d *differ) function(old, new *trace.Block, o, n *trace.Statement, back map[*trace.Statement]*trace.Statement) {
	samePlace := previous(old, o.Index, func(s *trace.Statement) *trace.Statement { return s }, back) ==
		previous(new, n.Index, func(s *trace.Statement) *trace.Statement { return back[s] }, back)
	if !samePlace || o.Function.Shape != n.Function.Shape {
		d.replaced(old, new, o.Function.Name, []*trace.Statement{o}, []*trace.Statement{n})
		return
	}
	if o.Full == n.Full {
		return
	}
	known := len(*d.list)
	d.block(o.Function.Body, n.Function.Body)
	if len(*d.list) == known {
		d.replaced(old, new, o.Function.Name, []*trace.Statement{o}, []*trace.Statement{n})
	}
}

// onlyMoved reports whether two blocks have the same steps in the same order
// and the same definitions, which then stand in another order among themselves.
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

// previous is the nearest step before an index that has a match, as its old
// statement; nil when there is none.
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

// replaced takes definitions that appeared, went or moved. They matter to who
// calls the name, which for a new one may be a command that is not spelled out.
func (d *differ) replaced(old, new *trace.Block, name string, os, ns []*trace.Statement) {
	for _, o := range os {
		e := Edit{What: fmt.Sprintf("function %s removed", name), Old: linesOf(o), Function: functionOf(old), text: append(textOf(old), name), guard: defined(old, o, name)}
		if len(ns) > 0 {
			e.What, e.New = fmt.Sprintf("function %s defined otherwise", name), linesOf(ns[0])
		}
		d.add(e)
	}
	for _, n := range ns {
		e := Edit{What: fmt.Sprintf("function %s added", name), New: linesOf(n), Function: functionOf(new), text: append(textOf(new), name), guard: guard{function: name, dynamic: true}}
		if exposed(new, n.Index) || functionOf(new) != "" || new.Of != nil {
			e.guard = e.guard.or(ends(old))
		}
		d.add(e)
	}
}

// defined holds for runs that a definition mattered to.
func defined(b *trace.Block, s *trace.Statement, name string) guard {
	g := entry(s.Function.Body)
	g.function = name
	if exposed(b, s.Index) {
		g = g.or(before(b, s.Index))
	}
	return g
}

// exposed reports whether the status that a definition leaves, which is 0, can
// be seen: by the next statement, or as the last of its block.
func exposed(b *trace.Block, index int) bool {
	for _, s := range b.Statements[index+1:] {
		if s.Function == nil {
			return s.Facts.Status
		}
	}
	return true
}

// ends holds for runs that got to any place of a block.
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
