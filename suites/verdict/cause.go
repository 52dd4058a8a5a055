package verdict

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// CauseOf returns the cause of one failure.
func CauseOf(f Failure) Cause {
	r := f.Record
	for _, m := range f.Mismatches {
		if m.Kind == suites.InStart {
			return Cause{Kind: CauseNotStarted, Hook: r.Hook, Text: m.Got}
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
		Kind: CauseEqual, Hook: r.Hook, Text: withoutSandbox(r, r.Note),
		said: withoutSandbox(r, r.ActualOutput+"\x00"+r.ActualStderr),
	}
}

// A CauseKind is the kind of cause that failures share.
type CauseKind string

// The kinds, most informative first: an error in a file fails every case that needs the file.
const (
	CauseNotStarted CauseKind = "not_started" // the hook is missing, not executable, has a bad interpreter
	CauseSyntax     CauseKind = "syntax"      // the hook does not parse
	CauseLibrary    CauseKind = "library"     // a script that the hook needs does not parse, or is missing
	CauseEqual      CauseKind = "equal"       // all have the same output
)

// causeRank orders kinds.
var causeRank = map[CauseKind]int{CauseNotStarted: 0, CauseSyntax: 1, CauseLibrary: 2, CauseEqual: 3}

// A Failure is the record of a failed case, with its mismatches if they are known: a record that
// was read from a file has none.
type Failure struct {
	Record     *suites.Record
	Mismatches []suites.Mismatch
}

// A Cause identifies the cause of failures: failures have the same cause if their Causes are equal.
// Hook is the file at fault, for CauseEqual the hook that failed.
type Cause struct {
	Kind CauseKind
	Hook string
	Text string
	said string // output of the hook, for CauseEqual
}

// Headline returns the cause in one line: "guard.sh does not parse: line 3: ...".
func (c Cause) Headline() string {
	switch {
	case c.Kind == CauseSyntax, c.Kind == CauseLibrary && !strings.HasSuffix(c.Text, missingSuffix):
		return c.Hook + " does not parse: " + c.Text
	case c.Kind == CauseLibrary:
		return c.Hook + " cannot be read: " + c.Text
	case c.Kind == CauseNotStarted && c.Hook == "":
		return c.Text
	case c.Kind == CauseNotStarted:
		return c.Hook + " does not start: " + c.Text
	}
	return c.Text
}

const missingSuffix = ": No such file or directory"

// A CauseGroup contains the failures with one cause, in the order of the input.
type CauseGroup struct {
	Cause
	Cases []Failure
}

// CauseGroups groups failures by cause: file errors first, then the largest groups, then in the
// order of their first failures.
func CauseGroups(failed []Failure) []CauseGroup {
	var groups []CauseGroup
	at := map[Cause]int{}
	for _, f := range failed {
		c := CauseOf(f)
		i, known := at[c]
		if !known {
			i = len(groups)
			at[c] = i
			groups = append(groups, CauseGroup{Cause: c})
		}
		groups[i].Cases = append(groups[i].Cases, f)
	}
	slices.SortStableFunc(groups, func(a, b CauseGroup) int {
		return CompareCauses(a.Kind, len(a.Cases), b.Kind, len(b.Cases))
	})
	return groups
}

// CompareCauses orders two groups by kind, then by descending number of cases.
func CompareCauses(a CauseKind, cases int, b CauseKind, others int) int {
	return cmp.Or(cmp.Compare(causeRank[a], causeRank[b]), cmp.Compare(others, cases))
}

// Failures returns the failures among records.
func Failures(all []suites.Record) []Failure {
	var failed []Failure
	for i := range all {
		if all[i].Status() == suites.Fail {
			failed = append(failed, Failure{Record: &all[i]})
		}
	}
	return failed
}

// Keys returns the keys of the group's cases.
func (g *CauseGroup) Keys() []suites.Key {
	keys := make([]suites.Key, len(g.Cases))
	for i, f := range g.Cases {
		keys[i] = f.Record.Key()
	}
	return keys
}

// Messages of bash about a script that it cannot parse or cannot find, or about a line of one.
var (
	unparsedScript = pattern.Lazy(`(?m)^(\S.*?): (line \d+: (?:syntax error|unexpected EOF).*)$`)
	unfoundScript  = pattern.Lazy(`(?m)^(\S.*?): (line \d+): (\S*/[^/\s:]+\.(?:sh|bash|inc))` + missingSuffix + `$`)
	bashComplaint  = pattern.Lazy(`(?m)^(\S.*?): (line \d+: .+)$`)
)

// unknownProgram matches the last line that a shell prints if it runs a registered command and
// does not find its program.
var unknownProgram = pattern.Lazy(`(?:^|\n)(?:/\S*/)?(?:sh|dash|bash): (?:line )?\d+: ([^\s:/]+): (?:command )?not found\n*$`)

// lacking returns the program that a registered command does not find. All hooks that need it have
// the same cause.
func lacking(r *suites.Record) (Cause, bool) {
	if r.ActualExit == nil || *r.ActualExit != 127 {
		return Cause{}, false
	}
	m := unknownProgram().FindStringSubmatch(r.ActualStderr)
	if m == nil {
		return Cause{}, false
	}
	return Cause{Kind: CauseNotStarted, Text: "the program " + m[1] + " is not found"}, true
}

// diagnosed returns the cause that the shell reports in stderr about a script. Scripts in the
// case's own directory do not count, because they are the hook's input, not part of the hook.
func diagnosed(r *suites.Record) (Cause, bool) {
	if !strings.Contains(r.ActualStderr, ": line ") {
		return Cause{}, false
	}
	if m := unparsedScript().FindStringSubmatch(r.ActualStderr); m != nil && !inSandbox(r, m[1]) {
		kind, file := CauseLibrary, base(m[1])
		if file == base(r.Hook) {
			kind = CauseSyntax
		}
		return Cause{Kind: kind, Hook: file, Text: strings.TrimSpace(m[2])}, true
	}
	if m := unfoundScript().FindStringSubmatch(r.ActualStderr); m != nil && base(m[1]) == base(r.Hook) && !inSandbox(r, m[3]) {
		return Cause{Kind: CauseLibrary, Hook: base(m[3]), Text: base(m[1]) + " " + m[2] + missingSuffix}, true
	}
	return complaint(r)
}

// complaint returns the last message of bash about a line of the hook itself. It identifies the
// cause because one broken line leads to different output and mismatches in each case.
func complaint(r *suites.Record) (Cause, bool) {
	all := bashComplaint().FindAllStringSubmatch(r.ActualStderr, -1)
	for _, m := range slices.Backward(all) {
		if base(m[1]) == base(r.Hook) && !inSandbox(r, m[1]) {
			return Cause{Kind: CauseEqual, Hook: r.Hook, Text: fmt.Sprintf("%s %s", r.Hook, withoutSandbox(r, m[2]))}, true
		}
	}
	return Cause{}, false
}

// Messages of Python, Node and the shell about a script that does not exist.
var missingHook = []func() *regexp.Regexp{
	pattern.Lazy(`can't open file '([^']+)': \[Errno 2\]`),
	pattern.Lazy(`(?m)^Error: Cannot find module '([^']+)'$`),
	pattern.Lazy(`(?m)^\S*sh: \d+: (\S+): not found$`),
}

// exceptionLine matches the last line of an exception in Python, and the line of Node with its
// name.
var exceptionLine = pattern.Lazy(`(?m)^(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Interrupt|Exit)\b.*$`)

// raised returns the cause that Python and Node report in stderr if they cannot find or parse the
// hook, or if it ended with an exception.
func raised(r *suites.Record) (Cause, bool) {
	if r.Hook == "" {
		return Cause{}, false
	}
	for _, is := range missingHook {
		if m := is().FindStringSubmatch(r.ActualStderr); m != nil && strings.Contains(m[1], "/") && base(m[1]) == base(r.Hook) {
			return Cause{Kind: CauseNotStarted, Hook: base(r.Hook), Text: "hook missing: what is registered runs a file that does not exist"}, true
		}
	}
	line, all := LineIn(r.Hook, r.ActualStderr), exceptionLine().FindAllString(r.ActualStderr, -1)
	if line == 0 || len(all) == 0 {
		return Cause{}, false
	}
	said := all[len(all)-1]
	text := fmt.Sprintf("line %d: %s", line, withoutSandbox(r, said))
	if unparsedBy(r.ActualStderr, said) {
		return Cause{Kind: CauseSyntax, Hook: base(r.Hook), Text: text}, true
	}
	return Cause{Kind: CauseEqual, Hook: r.Hook, Text: r.Hook + " " + text}, true
}

// unparsedBy reports whether the script itself cannot be parsed, rather than a text that it tried
// to parse: then none of its own statements has run.
func unparsedBy(stderr, said string) bool {
	name, _, _ := strings.Cut(said, ":")
	switch name {
	case "SyntaxError", "IndentationError", "TabError":
		return !strings.Contains(stderr, "Traceback (most recent call last)") && !strings.Contains(stderr, "    at JSON.parse")
	}
	return false
}

// linePlaces matches the position of an error in the formats of bash, Python and Node.
var linePlaces = pattern.Lazy(`([^\s"'(:]+)(?:: line |", line |:)(\d+)\b`)

// nodeVersion matches the end of Node's report of an exception.
var nodeVersion = pattern.Lazy(`(?m)^Node\.js v`)

// LineIn returns the line of a script that its stderr names last, 0 if none. Programs name the
// innermost position last, except Node, which names it first.
func LineIn(script, stderr string) int {
	line := 0
	for _, m := range linePlaces().FindAllStringSubmatch(stderr, -1) {
		if base(m[1]) != base(script) {
			continue
		}
		n, err := strconv.Atoi(m[2])
		if err == nil && (line == 0 || !nodeVersion().MatchString(stderr)) {
			line = n
		}
	}
	return line
}

// base returns the last part of a path. The rest differs if cases have copies of the project.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// inSandbox reports whether a path is in the sandbox of a record's case.
func inSandbox(r *suites.Record, path string) bool {
	_, _, found := sandboxPath(r, path)
	return found
}

// withoutSandbox returns text with sandbox paths replaced, because they differ in each run.
func withoutSandbox(r *suites.Record, text string) string {
	for {
		from, to, found := sandboxPath(r, text)
		if !found {
			return text
		}
		text = text[:from] + "{sandbox}" + text[to:]
	}
}

// sandboxPath finds the first path in a text that leads to the sandbox of a record's case. The
// sandbox is named after the case and a number.
func sandboxPath(r *suites.Record, text string) (from, to int, found bool) {
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
