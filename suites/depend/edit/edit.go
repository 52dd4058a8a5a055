// Package edit determines whether an edit of a script can change the outcome of a case,
// given a trace of the case on the content before the edit.
//
// Two contents are compared as trees, block by block. Up to the first edited place that a run
// reaches, the old and the new script behave the same, and a run that reaches none behaves as
// before. So each edit has a condition that is true for every run that reached its place, and in
// doubt for more.
package edit

import (
	"fmt"

	"hookwatch/suites/depend/trace"
)

// Edits describes the differences between two contents of one file.
type Edits struct {
	Path     string // slash path from the project's root, as traces name it
	Old, New string // digests of the contents
	All      string // why every case is affected; "" if List is complete
	List     []Edit // block by block; empty if only comments or white space differ
	Moved    bool   // some statement is on other lines
	Assumed  bool   // neither its name nor its content shows that it is a script
	shebang  string // of the old content
	by       trace.Language

	functions []*trace.Function // of the old content
}

// None reports whether nothing that is executed differs.
func (e *Edits) None() bool { return e.All == "" && len(e.List) == 0 }

// An Edit is one place that differs.
type Edit struct {
	What     string // such as "statement changed"
	Old, New Lines  // zero if there are none
	Function string // the enclosing function; "" at top level
	guard    guard
	text     []string // functions whose text it changes, or that it adds or removes
	binds    []string // if not nil, it affects only cases that use one of these names
}

// Lines is a range of lines, from 1, both included.
type Lines struct{ From, To int }

// String formats the range as "812-815", or "812" if it is one line.
func (l Lines) String() string {
	if l.From == l.To {
		return fmt.Sprint(l.From)
	}
	return fmt.Sprintf("%d-%d", l.From, l.To)
}

// String formats the edit as "statement changed at lines 812-815 in f".
func (e Edit) String() string {
	at, version := e.New, ""
	if at.From == 0 {
		at, version = e.Old, "old "
	}
	s := e.What
	switch at.From {
	case at.To:
		s += fmt.Sprintf(" at %sline %s", version, at)
	default:
		s += fmt.Sprintf(" at %slines %s", version, at)
	}
	if e.Function != "" {
		s += " in " + e.Function
	}
	return s
}
