// Package cause tells which failures have one cause: a hook that does not start or
// does not parse, a library that it needs, or else equal text. It is pure, so that
// every view and report groups alike.
package cause

import (
	"regexp"
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

// Of tells the cause of one failure.
func Of(f Failure) Cause {
	r := f.Record
	for _, m := range f.Mismatches {
		if m.Field == "start" {
			return Cause{Kind: NotStarted, Hook: r.Hook, Text: m.Got}
		}
	}
	if c, ok := diagnosed(r); ok {
		return c
	}
	return Cause{
		Kind: Equal, Hook: r.Hook, Text: everywhere(r, r.Note),
		said: everywhere(r, r.ActualOutput+"\x00"+r.ActualStderr),
	}
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

// What bash says of a script that it cannot parse, and of one that it cannot find.
var (
	unparsed = regexp.MustCompile(`(?m)^(\S.*?): (line \d+: (?:syntax error|unexpected EOF).*)$`)
	unfound  = regexp.MustCompile(`(?m)^(\S.*?): (line \d+): (\S*/[^/\s:]+\.(?:sh|bash|inc))` + missing + `$`)
)

// diagnosed reads in stderr what the shell says of a script itself. What lies in the
// case's own directory is what the hook looks at, not what it is made of.
func diagnosed(r *suites.Record) (Cause, bool) {
	if !strings.Contains(r.ActualStderr, ": line ") {
		return Cause{}, false
	}
	if m := unparsed.FindStringSubmatch(r.ActualStderr); m != nil && !inSandbox(r, m[1]) {
		kind, file := Library, base(m[1])
		if file == base(r.Hook) {
			kind = Syntax
		}
		return Cause{Kind: kind, Hook: file, Text: strings.TrimSpace(m[2])}, true
	}
	m := unfound.FindStringSubmatch(r.ActualStderr)
	if m == nil || base(m[1]) != base(r.Hook) || inSandbox(r, m[3]) {
		return Cause{}, false
	}
	return Cause{Kind: Library, Hook: base(m[3]), Text: base(m[1]) + " " + m[2] + missing}, true
}

// base is the last part of a path: the rest differs where cases have copies.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// inSandbox reports whether a path lies in the sandbox of a record's case.
func inSandbox(r *suites.Record, path string) bool {
	_, _, found := sandbox(r, path)
	return found
}

// everywhere is text as it would be in any run: a sandbox is one run's own.
func everywhere(r *suites.Record, text string) string {
	for {
		from, to, found := sandbox(r, text)
		if !found {
			return text
		}
		text = text[:from] + "{sandbox}" + text[to:]
	}
}

// sandbox finds the first path in a text that leads to the sandbox of a record's case,
// which is named by the case and a number.
func sandbox(r *suites.Record, text string) (from, to int, found bool) {
	name := "/" + r.Suite + "-" + r.ID + "-"
	for start := 0; ; {
		i := strings.Index(text[start:], name)
		if i < 0 {
			return 0, 0, false
		}
		from, to = start+i, start+i+len(name)
		number := to
		for to < len(text) && text[to] >= '0' && text[to] <= '9' {
			to++
		}
		if to > number {
			return strings.LastIndexAny(text[:from], " \t\r\n\"'=:`()") + 1, to, true
		}
		start = number
	}
}
