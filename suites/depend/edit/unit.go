package edit

import "hookwatch/suites/depend/trace"

// SameUnit is the coarser rule that selection by statement is measured against:
// it holds for a case that executed the function, or the whole statement at
// top level, that an edit is in.
func SameUnit(e *Edits, t *trace.Trace) bool {
	if affected, _ := Affected(e, t); affected || e.None() {
		return affected
	}
	for _, edit := range e.List {
		if edit.Function != "" && entered(t, edit.Function) {
			return true
		}
		for _, k := range edit.unit {
			if met := t.Files[e.Path]; met != nil && met.Statements.Has(k) {
				return true
			}
		}
	}
	return false
}

// unitOf are the keys of the statement at top level that a block is part of.
func unitOf(b *trace.Block) []trace.Key {
	if b.Of == nil {
		return nil
	}
	top := b.Of
	for top.In.Of != nil {
		top = top.In.Of
	}
	return keysIn(top, nil)
}
