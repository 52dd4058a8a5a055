package main

import (
	"slices"

	"hookwatch/suites/depend/edit"
	"hookwatch/suites/depend/trace"
)

// sameUnit is the coarser rule that selection by statement is measured against:
// it holds for a case that executed the function, or a part of the statement at
// top level, that an edit is in. keys are those of unitKeys.
func sameUnit(e *edit.Edits, keys []trace.Key, t *trace.Trace) bool {
	if affected, _ := edit.Affected(e, t); affected || e.None() {
		return affected
	}
	for _, one := range e.List {
		for _, met := range t.Files {
			if one.Function != "" && met.Functions.Has(trace.WordKey(one.Function)) {
				return true
			}
		}
	}
	met := t.Files[e.Path]
	return met != nil && slices.ContainsFunc(keys, met.Statements.Has)
}

// unitKeys are the keys of the statements at top level that the edits are in,
// with all that stands in them.
func unitKeys(e *edit.Edits, before, after []byte) (keys []trace.Key) {
	old, errOld := trace.Parse(e.Path, before)
	new, errNew := trace.Parse(e.Path, after)
	if errOld != nil || errNew != nil {
		return nil // such an edit affects every case
	}
	for _, one := range e.List {
		of := around(old, one.Old.From)
		if in := around(new, one.New.From); one.Old.From == 0 && in != nil {
			// What is new in a statement leaves where it starts, and what it is.
			if of = around(old, in.Start); of != nil && (of.Start != in.Start || of.Shell != in.Shell) {
				of = nil
			}
		}
		if of != nil && one.Function == "" {
			keys = of.Keys(keys)
		}
	}
	return keys
}

// around is the statement at top level that holds a line, if it is one that runs.
func around(s *trace.Script, line int) *trace.Statement {
	for _, one := range s.Body.Statements {
		if one.Function == nil && one.Start <= line && line <= one.End {
			return one
		}
	}
	return nil
}
