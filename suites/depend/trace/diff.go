package trace

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hookwatch/suites/depend/script"
)

// A differ collects the edits between two trees.
type differ struct{ list *[]Edit }

func (d *differ) add(e Edit) { *d.list = append(*d.list, e) }

// block compares two lists of statements. Definitions of functions are no steps of a list: they
// are compared by name.
func (d *differ) block(old, new *script.Block) {
	d.scope(old, new)
	os, ns := steps(old), steps(new)
	match := align(os, ns)
	i, j := 0, 0
	for i < len(os) || j < len(ns) {
		to, mate := i, len(ns)
		for to < len(os) && match[to] < 0 {
			to++
		}
		if to < len(os) {
			mate = match[to]
		}
		d.gap(old, new, os[i:to], ns[j:mate], stepIndex(old, os, to))
		if to < len(os) {
			d.pair(os[to], ns[mate])
		}
		i, j = to+1, mate+1
	}
	d.functions(old, new, os, ns, match)
}

const namesChanged = "names changed"

// scope adds an edit if a block binds other names. It affects the cases that use one of them in
// the block or in a scope around it, even if they do not reach the definition.
func (d *differ) scope(old, new *script.Block) {
	var names []string
	for _, b := range []struct{ declared, other []string }{{old.Declared, new.Declared}, {new.Declared, old.Declared}} {
		for _, binding := range b.declared {
			if !slices.Contains(b.other, binding) {
				names = append(names, binding[strings.IndexByte(binding, ' ')+1:])
			}
		}
	}
	if names == nil {
		return
	}
	e := Edit{What: namesChanged, Function: functionOf(old), text: textOf(old), guard: entry(old), binds: names}
	if n := len(new.Statements); n > 0 {
		e.New = Lines{new.Statements[0].Start, new.Statements[n-1].End}
	}
	d.add(e)
}

// stepIndex returns a step's index in its block, or the block's length after the last step.
func stepIndex(b *script.Block, list []*script.Statement, i int) int {
	if i < len(list) {
		return list[i].Index
	}
	return len(b.Statements)
}

// gap adds edits for statements without a match. Those with a counterpart at the same place
// changed. New statements after the last of them can be reached only by a run that reached
// these, or, if there are none, the place before next.
func (d *differ) gap(oldBlock, newBlock *script.Block, old, new []*script.Statement, next int) {
	for i, o := range old {
		e := Edit{What: nounOf(o) + " removed", Old: linesOf(o), Function: functionOf(oldBlock), text: textOf(oldBlock), guard: reach(o)}
		if i < len(new) {
			e.What, e.New = nounOf(o)+" changed", linesOf(new[i])
			if e.binds = bound(o, new[i]); doubtful(new[i:i+1], o) {
				e.binds = nil
			}
			e.replaces = replaced(o, new[i])
		} else {
			e.binds = bound(o)
			if o.Plain { // a run in which it did not match goes on as before
				e.guard = before(o.Blocks[0], 0)
			}
		}
		if o.Binds != nil && e.binds == nil {
			e.guard = before(oldBlock, o.Index)
		}
		d.add(e)
	}
	if len(new) <= len(old) {
		return
	}
	extra := new[len(old):]
	g := before(oldBlock, next)
	switch {
	case len(old) > 0 && old[0].Binds != nil:
		g = before(oldBlock, old[0].Index)
	case len(old) > 0:
		g = reach(old[0])
	}
	binds := bound(extra...)
	if doubtful(extra) {
		binds = nil
	}
	d.add(Edit{
		binds: binds,
		What:  "new " + nounOf(extra[0]), Function: functionOf(newBlock), text: textOf(newBlock), guard: g,
		New: Lines{extra[0].Start, extra[len(extra)-1].End},
	})
}

// doubtful reports whether new statements that only bind names may fail, or use names that the old
// ones do not use, which a trace that remains valid would lack.
func doubtful(list []*script.Statement, old ...*script.Statement) bool {
	return slices.ContainsFunc(list, func(s *script.Statement) bool {
		return s.Risky || slices.ContainsFunc(s.Facts.Words, func(word string) bool {
			return !slices.ContainsFunc(old, func(o *script.Statement) bool { return slices.Contains(o.Facts.Words, word) })
		})
	})
}

// bound returns the names that statements bind if they do nothing else, nil if they do.
func bound(list ...*script.Statement) []string {
	var names []string
	for _, s := range list {
		if s.Binds == nil {
			return nil
		}
		names = append(names, s.Binds...)
	}
	return names
}

// nounOf returns what a statement is called. The body of an arm has statements of its own.
func nounOf(s *script.Statement) string {
	if s.Arm {
		return "pattern"
	}
	return "statement"
}

func linesOf(s *script.Statement) Lines {
	if s.Arm {
		return Lines{s.Start, s.Start}
	}
	return Lines{s.Start, s.End}
}

func functionOf(b *script.Block) string {
	if b.Function == nil {
		return ""
	}
	return b.Function.Name
}

// textOf returns the functions whose text contains a block, the innermost first.
func textOf(b *script.Block) []string {
	var names []string
	for f := b.Function; f != nil; f = f.Outer {
		names = append(names, f.Name)
	}
	return names
}

// pair compares two statements that are equal outside their blocks.
func (d *differ) pair(old, new *script.Statement) {
	if old.Full == new.Full {
		d.effects(old, new)
		return
	}
	if (old.Binds == nil) != (new.Binds == nil) {
		d.effect(old, new)
	}
	if old.Shell != new.Shell || len(old.Blocks) != len(new.Blocks) {
		d.add(Edit{What: "statement changed", Old: linesOf(old), New: linesOf(new), Function: functionOf(old.In), text: textOf(old.In), guard: reach(old)})
		return
	}
	known := len(*d.list)
	for i, o := range old.Blocks {
		n := new.Blocks[i]
		if o.Slot != n.Slot { // else became elif, or the reverse
			d.add(Edit{What: "branch changed", Old: linesOf(old), New: linesOf(new), Function: functionOf(o), text: textOf(o), guard: entry(o)})
			continue
		}
		if o.Function != nil && o.Of == nil && o.Function.Scope != n.Function.Scope {
			d.add(Edit{What: "names changed", Old: linesOf(old), New: linesOf(new), Function: functionOf(o), text: textOf(o), guard: entry(o)})
		}
		d.block(o, n)
	}
	if len(*d.list) == known { // such as definitions in another order
		d.add(Edit{What: "statement changed", Old: linesOf(old), New: linesOf(new), Function: functionOf(old.In), text: textOf(old.In), guard: reach(old)})
	}
}

// effects compares what two equal statements do: one that only bound names fails if the definition of
// a name that it uses is gone.
func (d *differ) effects(old, new *script.Statement) {
	if (old.Binds == nil) != (new.Binds == nil) {
		d.effect(old, new)
	}
	for i, o := range old.Blocks[:min(len(old.Blocks), len(new.Blocks))] {
		n := new.Blocks[i]
		for j := range min(len(o.Statements), len(n.Statements)) {
			d.effects(o.Statements[j], n.Statements[j])
		}
	}
}

func (d *differ) effect(old, new *script.Statement) {
	d.add(Edit{What: "statement has other effects", Old: linesOf(old), New: linesOf(new), Function: functionOf(old.In), text: textOf(old.In), guard: before(old.In, old.Index)})
}

// function compares two definitions of the same name.
func (d *differ) function(old, new *script.Block, o, n *script.Statement, back map[*script.Statement]*script.Statement) {
	samePlace := previous(old, o.Index, func(s *script.Statement) *script.Statement { return s }, back) ==
		previous(new, n.Index, func(s *script.Statement) *script.Statement { return back[s] }, back)
	if !samePlace || o.Function.Shape != n.Function.Shape {
		d.replaced(old, new, o.Function.Name, []*script.Statement{o}, []*script.Statement{n})
		return
	}
	if o.Full == n.Full {
		return
	}
	known := len(*d.list)
	d.block(o.Function.Body, n.Function.Body)
	if len(*d.list) == known {
		d.replaced(old, new, o.Function.Name, []*script.Statement{o}, []*script.Statement{n})
	}
}

// functions compares the definitions of two blocks by name. A definition that moved past a step
// counts as removed and added, because it takes effect at another time.
func (d *differ) functions(old, new *script.Block, os, ns []*script.Statement, match []int) {
	back := make(map[*script.Statement]*script.Statement, len(ns))
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

// replaced adds edits for definitions that were added, removed or moved. They affect callers of
// the name. For a new definition, these include commands whose name is not literal.
func (d *differ) replaced(old, new *script.Block, name string, os, ns []*script.Statement) {
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

// align matches the steps of two lists in order: first those that are equal, then, between
// these, those that differ only within their blocks. It returns the index of the new step for
// each old one, or -1.
func align(old, new []*script.Statement) []int {
	match := make([]int, len(old))
	for i := range match {
		match[i] = -1
	}
	common(old, new, 0, 0, match, func(s *script.Statement) uint64 { return s.Full })
	i, j := 0, 0
	for i < len(old) {
		to := i
		for to < len(old) && match[to] < 0 {
			to++
		}
		mate := len(new)
		if to < len(old) {
			mate = match[to]
		}
		common(old[i:to], new[j:mate], i, j, match, func(s *script.Statement) uint64 { return s.Shell })
		i, j = to+1, mate+1
	}
	return match
}

// common finds a longest common subsequence and records it in match. The lists start at oldAt
// and newAt.
func common(old, new []*script.Statement, oldAt, newAt int, match []int, id func(*script.Statement) uint64) {
	for len(old) > 0 && len(new) > 0 && id(old[0]) == id(new[0]) {
		match[oldAt] = newAt
		old, new, oldAt, newAt = old[1:], new[1:], oldAt+1, newAt+1
	}
	for len(old) > 0 && len(new) > 0 && id(old[len(old)-1]) == id(new[len(new)-1]) {
		match[oldAt+len(old)-1] = newAt + len(new) - 1
		old, new = old[:len(old)-1], new[:len(new)-1]
	}
	if len(old) == 0 || len(new) == 0 || len(old)*len(new) > tableLimit {
		return
	}
	table := lengths(old, new, id)
	for i, j := 0, 0; i < len(old) && j < len(new); {
		switch {
		case id(old[i]) == id(new[j]):
			match[oldAt+i] = newAt + j
			i, j = i+1, j+1
		case table[i+1][j] >= table[i][j+1]:
			i++
		default:
			j++
		}
	}
}

// tableLimit limits the work on two lists that have little in common. Above it, the differing
// part counts as rewritten.
const tableLimit = 4 << 20

// lengths returns the length of the longest common subsequence from each pair of places on.
func lengths(old, new []*script.Statement, id func(*script.Statement) uint64) [][]int32 {
	table := make([][]int32, len(old)+1)
	for i := range table {
		table[i] = make([]int32, len(new)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			if id(old[i]) == id(new[j]) {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

func byName(b *script.Block) map[string][]*script.Statement {
	m := map[string][]*script.Statement{}
	for _, s := range b.Statements {
		if s.Function != nil {
			m[s.Function.Name] = append(m[s.Function.Name], s)
		}
	}
	return m
}

func names(a, b map[string][]*script.Statement) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// onlyMoved reports whether two blocks have the same steps in the same order and the same
// definitions, possibly in another order.
func onlyMoved(old, new *script.Block) bool {
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
func previous(b *script.Block, index int, old func(*script.Statement) *script.Statement, back map[*script.Statement]*script.Statement) *script.Statement {
	matched := map[*script.Statement]bool{}
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
func defined(b *script.Block, s *script.Statement, name string) guard {
	g := entry(s.Function.Body)
	g.function = name
	if exposed(b, s.Index) {
		g = g.or(before(b, s.Index))
	}
	return g
}

// exposed reports whether the status of a definition, which is 0, can be observed: by the next
// statement, or as the last of its block.
func exposed(b *script.Block, index int) bool {
	for _, s := range b.Statements[index+1:] {
		if s.Function == nil {
			return s.Facts.Status
		}
	}
	return true
}

// ends returns a guard for runs that reached any place of a block.
func ends(b *script.Block) guard {
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
func steps(b *script.Block) []*script.Statement {
	var list []*script.Statement
	for _, s := range b.Statements {
		if s.Function == nil {
			list = append(list, s)
		}
	}
	return list
}
