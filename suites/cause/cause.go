// Package cause reads what a hook printed and how it ended for signs of a cause: a
// program or a file that does not exist, a script that does not parse or crashes,
// output that the client drops. It groups failures with the same cause. It is pure,
// so that every view and report groups alike.
package cause

import (
	"cmp"
	"slices"
	"strings"

	"hookwatch/suites"
)

// Of tells the cause of one failure.
func Of(f Failure) Cause {
	r := f.Record
	for _, m := range f.Mismatches {
		if m.Kind == suites.InStart {
			return Cause{Kind: NotStarted, Hook: r.Hook, Text: m.Got}
		}
	}
	if c, ok := lacking(r); ok {
		return c
	}
	if c, ok := diagnosed(r); ok {
		return c
	}
	if c, ok := raised(r); ok {
		return c
	}
	return Cause{
		Kind: Equal, Hook: r.Hook, Text: everywhere(r, r.Note),
		said: everywhere(r, r.ActualOutput+"\x00"+r.ActualStderr),
	}
}

// A Kind is what sort of cause failures share.
type Kind string

// The kinds, the most telling first: what is wrong with a file fails whatever needs
// it, whatever the case.
const (
	NotStarted Kind = "not_started" // the hook is missing, not executable, has a bad interpreter
	Syntax     Kind = "syntax"      // the hook does not parse
	Library    Kind = "library"     // a script that the hook needs does not parse, or is missing
	Equal      Kind = "equal"       // the same was said of each
)

// rank orders kinds.
var rank = map[Kind]int{NotStarted: 0, Syntax: 1, Library: 2, Equal: 3}

// A Failure is a record of a case that failed, with its mismatches where they are
// known: a record that was read has none.
type Failure struct {
	Record     *suites.Record
	Mismatches []suites.Mismatch
}

// A Cause is what failures have in common: equal causes are one. Hook is the file at
// fault, for Equal the hook that failed.
type Cause struct {
	Kind Kind
	Hook string
	Text string
	said string // by the hook, for Equal
}

// Headline says the cause in a line: "guard.sh does not parse: line 3: ...".
func (c Cause) Headline() string {
	switch {
	case c.Kind == Syntax, c.Kind == Library && !strings.HasSuffix(c.Text, missing):
		return c.Hook + " does not parse: " + c.Text
	case c.Kind == Library:
		return c.Hook + " cannot be read: " + c.Text
	case c.Kind == NotStarted && c.Hook == "":
		return c.Text
	case c.Kind == NotStarted:
		return c.Hook + " does not start: " + c.Text
	}
	return c.Text
}

const missing = ": No such file or directory"

// A Group is failures of one cause, in the order in which they were given.
type Group struct {
	Cause
	Cases []Failure
}

// Groups puts failures together by their causes: what is wrong with a file first,
// then what many share, then in the order of the first of each.
func Groups(failed []Failure) []Group {
	var groups []Group
	at := map[Cause]int{}
	for _, f := range failed {
		c := Of(f)
		i, known := at[c]
		if !known {
			i = len(groups)
			at[c] = i
			groups = append(groups, Group{Cause: c})
		}
		groups[i].Cases = append(groups[i].Cases, f)
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return Compare(a.Kind, len(a.Cases), b.Kind, len(b.Cases))
	})
	return groups
}

// Compare orders two groups by their kinds, then by how many cases they have.
func Compare(a Kind, cases int, b Kind, others int) int {
	return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(others, cases))
}

// Failed picks the failures among records.
func Failed(all []suites.Record) []Failure {
	var failed []Failure
	for i := range all {
		if all[i].Status() == suites.Fail {
			failed = append(failed, Failure{Record: &all[i]})
		}
	}
	return failed
}

// Keys are the cases of the group.
func (g *Group) Keys() []suites.Key {
	keys := make([]suites.Key, len(g.Cases))
	for i, f := range g.Cases {
		keys[i] = f.Record.Key()
	}
	return keys
}
