package cause

import (
	"strings"

	"hookwatch/suites"
)

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
