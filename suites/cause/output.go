package cause

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// What bash says of a script that it cannot parse, and of one that it cannot find.
var (
	unparsed   = pattern.Lazy(`(?m)^(\S.*?): (line \d+: (?:syntax error|unexpected EOF).*)$`)
	unfound    = pattern.Lazy(`(?m)^(\S.*?): (line \d+): (\S*/[^/\s:]+\.(?:sh|bash|inc))` + missing + `$`)
	complained = pattern.Lazy(`(?m)^(\S.*?): (line \d+: .+)$`)
)

// unknown is the last line of what a shell writes that runs a registered command and
// does not find its program.
var unknown = pattern.Lazy(`(?:^|\n)(?:/\S*/)?(?:sh|dash|bash): (?:line )?\d+: ([^\s:/]+): (?:command )?not found\n*$`)

// lacking returns the program that a registered command lacks: all hooks that need it
// have one cause.
func lacking(r *suites.Record) (Cause, bool) {
	if r.ActualExit == nil || *r.ActualExit != 127 {
		return Cause{}, false
	}
	m := unknown().FindStringSubmatch(r.ActualStderr)
	if m == nil {
		return Cause{}, false
	}
	return Cause{Kind: NotStarted, Text: "the program " + m[1] + " is not found"}, true
}

// diagnosed reads in stderr what the shell says of a script itself. What lies in the
// case's own directory is what the hook looks at, not what it is made of.
func diagnosed(r *suites.Record) (Cause, bool) {
	if !strings.Contains(r.ActualStderr, ": line ") {
		return Cause{}, false
	}
	if m := unparsed().FindStringSubmatch(r.ActualStderr); m != nil && !inSandbox(r, m[1]) {
		kind, file := Library, base(m[1])
		if file == base(r.Hook) {
			kind = Syntax
		}
		return Cause{Kind: kind, Hook: file, Text: strings.TrimSpace(m[2])}, true
	}
	if m := unfound().FindStringSubmatch(r.ActualStderr); m != nil && base(m[1]) == base(r.Hook) && !inSandbox(r, m[3]) {
		return Cause{Kind: Library, Hook: base(m[3]), Text: base(m[1]) + " " + m[2] + missing}, true
	}
	return complaint(r)
}

// complaint returns the last message of bash about a line of the hook itself: one broken
// line gives each case another output and another mismatch.
func complaint(r *suites.Record) (Cause, bool) {
	all := complained().FindAllStringSubmatch(r.ActualStderr, -1)
	for _, m := range slices.Backward(all) {
		if base(m[1]) == base(r.Hook) && !inSandbox(r, m[1]) {
			return Cause{Kind: Equal, Hook: r.Hook, Text: fmt.Sprintf("%s %s", r.Hook, everywhere(r, m[2]))}, true
		}
	}
	return Cause{}, false
}

// What Python, node and the shell say of a script that is not there.
var absent = []func() *regexp.Regexp{
	pattern.Lazy(`can't open file '([^']+)': \[Errno 2\]`),
	pattern.Lazy(`(?m)^Error: Cannot find module '([^']+)'$`),
	pattern.Lazy(`(?m)^\S*sh: \d+: (\S+): not found$`),
}

// exception is the last line of what Python says of one, and the line of node that
// says which it is.
var exception = pattern.Lazy(`(?m)^(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Interrupt|Exit)\b.*$`)

// raised reads in stderr what Python and node say of a hook that they cannot find,
// cannot parse, or that ended by an exception.
func raised(r *suites.Record) (Cause, bool) {
	if r.Hook == "" {
		return Cause{}, false
	}
	for _, is := range absent {
		if m := is().FindStringSubmatch(r.ActualStderr); m != nil && strings.Contains(m[1], "/") && base(m[1]) == base(r.Hook) {
			return Cause{Kind: NotStarted, Hook: base(r.Hook), Text: "hook missing: what is registered runs a file that does not exist"}, true
		}
	}
	line, all := Line(r.Hook, r.ActualStderr), exception().FindAllString(r.ActualStderr, -1)
	if line == 0 || len(all) == 0 {
		return Cause{}, false
	}
	said := all[len(all)-1]
	text := fmt.Sprintf("line %d: %s", line, everywhere(r, said))
	if unparsedBy(r.ActualStderr, said) {
		return Cause{Kind: Syntax, Hook: base(r.Hook), Text: text}, true
	}
	return Cause{Kind: Equal, Hook: r.Hook, Text: r.Hook + " " + text}, true
}

// unparsedBy tells a script that cannot be parsed from one that tried to parse
// something else: it came to no statement of its own.
func unparsedBy(stderr, said string) bool {
	name, _, _ := strings.Cut(said, ":")
	switch name {
	case "SyntaxError", "IndentationError", "TabError":
		return !strings.Contains(stderr, "Traceback (most recent call last)") && !strings.Contains(stderr, "    at JSON.parse")
	}
	return false
}

// placed is where programs say that something went wrong: bash, Python and node each
// in its own way.
var placed = pattern.Lazy(`([^\s"'(:]+)(?:: line |", line |:)(\d+)\b`)

// node is how node ends what it says of an exception.
var node = pattern.Lazy(`(?m)^Node\.js v`)

// Line is the line of a script that was named last in what it wrote to stderr; 0 where
// none was. Whoever raises an error names the innermost place last, but for node,
// which names it first.
func Line(script, stderr string) int {
	line := 0
	for _, m := range placed().FindAllStringSubmatch(stderr, -1) {
		if base(m[1]) != base(script) {
			continue
		}
		n, err := strconv.Atoi(m[2])
		if err == nil && (line == 0 || !node().MatchString(stderr)) {
			line = n
		}
	}
	return line
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
