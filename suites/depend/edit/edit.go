// Package edit says what an edit of a bash script can change for a case, given
// a trace of what the case executed on the content before the edit.
//
// Two contents are compared as trees, block by block. Up to the first edited
// place that a run reaches, old and new script do the same; a run that reaches
// none behaves as before. So each edit carries a condition that holds for every
// run that reached its place, and in doubt for more.
package edit

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"hookwatch/suites/depend/trace"
)

// Edits are what differs between two contents of one file.
type Edits struct {
	Path     string // slash path from the project's root, as traces name it
	Old, New string // digests of the contents
	All      string // why every case is affected; "" when List tells
	List     []Edit // block by block; empty when only comments or white space differ
	Moved    bool   // some statement stands on another line
	shebang  string // of the old content
}

// None reports whether nothing that bash runs differs.
func (e *Edits) None() bool { return e.All == "" && len(e.List) == 0 }

// An Edit is one place that differs.
type Edit struct {
	What     string // such as "statement changed"
	Old, New Lines  // zero where there are none
	Function string // that it is in; "" at top level
	guard    guard
	text     []string // functions whose text it changes, or that it adds or takes away
}

// Lines are a range of lines, from 1, both included.
type Lines struct{ From, To int }

// String formats the range as "812-815", or "812" when it is one line.
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

// Compare finds what differs. file is how traces name the file; only its base
// and extension are looked at.
func Compare(file string, before, after []byte) *Edits {
	e := &Edits{Path: file, Old: trace.Digest(before), New: trace.Digest(after)}
	if bytes.Equal(before, after) {
		return e
	}
	old, err := trace.Parse(before)
	if err != nil {
		e.All = "the old content cannot be parsed: " + err.Error()
		return e
	}
	new, err := trace.Parse(after)
	if err != nil {
		e.All = "the new content cannot be parsed: " + err.Error()
		return e
	}
	e.shebang = old.Shebang
	e.Moved = moved(old, new)
	if e.All = beyond(file, old, new, before, after); e.All != "" {
		return e
	}
	if old.Structure == new.Structure {
		return e
	}
	d := &differ{list: &e.List}
	d.block(old.Body, new.Body)
	if len(e.List) == 0 && !onlyMoved(old.Body, new.Body) {
		e.All = "it differs in a way that its statements do not show"
	}
	return e
}

// beyond says why a difference cannot be told by statements.
func beyond(file string, old, new *trace.Script, before, after []byte) string {
	switch {
	case old.Shebang != new.Shebang:
		return "the interpreter line changed"
	case !isShell(file, old.Shebang):
		return "it is no shell script"
	case bytes.IndexByte(before, '\r') >= 0 || bytes.IndexByte(after, '\r') >= 0:
		return "it has carriage returns"
	case old.Own != "" || new.Own != "":
		return first(old.Own, new.Own)
	case old.Numbers != "" || new.Numbers != "":
		return first(old.Numbers, new.Numbers)
	case old.Structure == new.Structure:
		return ""
	case old.Odd != "" || new.Odd != "":
		return first(old.Odd, new.Odd)
	case new.ExtGlobs && !old.ExtGlobs:
		return "it has a new extended pattern, which bash may refuse to parse"
	}
	return ""
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// isShell reports whether bash may run the file. A script of another shell is
// one too: a hook's first line does not say what runs it here.
func isShell(file, shebang string) bool {
	if shebang != "" {
		return shellOf(shebang) != ""
	}
	switch path.Ext(file) {
	case "", ".sh", ".bash":
		return true
	}
	return false
}

// shellOf is the shell that an interpreter line names, "" for anything else and
// for a bash that is told to be something else.
func shellOf(shebang string) string {
	fields := strings.Fields(strings.TrimPrefix(shebang, "#!"))
	for i, f := range fields {
		switch base := path.Base(f); {
		case base == "env" || f == "-S":
		case base == "sh" || base == "bash" || base == "dash":
			for _, option := range fields[i+1:] {
				if strings.Contains(option, "posix") || strings.HasPrefix(option, "-") && strings.ContainsAny(option, "pvx") {
					return ""
				}
			}
			return base
		default:
			return ""
		}
	}
	return ""
}

// moved reports whether any statement stands on other lines than before.
func moved(old, new *trace.Script) bool {
	if len(old.Statements) != len(new.Statements) {
		return true
	}
	for i, o := range old.Statements {
		if n := new.Statements[i]; o.Start != n.Start || o.End != n.End {
			return true
		}
	}
	return false
}
