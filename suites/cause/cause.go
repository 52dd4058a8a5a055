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

// Of returns the cause of one failure.
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

// A Kind is the kind of cause that failures share.
type Kind string

// The kinds, most informative first: an error in a file fails every case that needs the file.
const (
	NotStarted Kind = "not_started" // the hook is missing, not executable, has a bad interpreter
	Syntax     Kind = "syntax"      // the hook does not parse
	Library    Kind = "library"     // a script that the hook needs does not parse, or is missing
	Equal      Kind = "equal"       // all have the same output
)

// rank orders kinds.
var rank = map[Kind]int{NotStarted: 0, Syntax: 1, Library: 2, Equal: 3}

// A Failure is the record of a failed case, with its mismatches if they are known: a record that
// was read from a file has none.
type Failure struct {
	Record     *suites.Record
	Mismatches []suites.Mismatch
}

// A Cause identifies the cause of failures: failures have the same cause if their Causes are equal.
// Hook is the file at fault, for Equal the hook that failed.
type Cause struct {
	Kind Kind
	Hook string
	Text string
	said string // output of the hook, for Equal
}

// Headline returns the cause in one line: "guard.sh does not parse: line 3: ...".
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

// A Group contains the failures with one cause, in the order of the input.
type Group struct {
	Cause
	Cases []Failure
}

// Groups groups failures by cause: file errors first, then the largest groups, then in the order of
// their first failures.
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

// Compare orders two groups by kind, then by descending number of cases.
func Compare(a Kind, cases int, b Kind, others int) int {
	return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(others, cases))
}

// Failed returns the failures among records.
func Failed(all []suites.Record) []Failure {
	var failed []Failure
	for i := range all {
		if all[i].Status() == suites.Fail {
			failed = append(failed, Failure{Record: &all[i]})
		}
	}
	return failed
}

// Keys returns the keys of the group's cases.
func (g *Group) Keys() []suites.Key {
	keys := make([]suites.Key, len(g.Cases))
	for i, f := range g.Cases {
		keys[i] = f.Record.Key()
	}
	return keys
}
