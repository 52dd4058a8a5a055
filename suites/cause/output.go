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

// Messages of bash about a script that it cannot parse or cannot find, or about a line of one.
var (
	unparsed   = pattern.Lazy(`(?m)^(\S.*?): (line \d+: (?:syntax error|unexpected EOF).*)$`)
	unfound    = pattern.Lazy(`(?m)^(\S.*?): (line \d+): (\S*/[^/\s:]+\.(?:sh|bash|inc))` + missing + `$`)
	complained = pattern.Lazy(`(?m)^(\S.*?): (line \d+: .+)$`)
)

// unknown matches the last line that a shell prints if it runs a registered command and does not
// find its program.
var unknown = pattern.Lazy(`(?:^|\n)(?:/\S*/)?(?:sh|dash|bash): (?:line )?\d+: ([^\s:/]+): (?:command )?not found\n*$`)

// lacking returns the program that a registered command does not find. All hooks that need it have
// the same cause.
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

// diagnosed returns the cause that the shell reports in stderr about a script. Scripts in the
// case's own directory do not count, because they are the hook's input, not part of the hook.
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

// complaint returns the last message of bash about a line of the hook itself. It identifies the
// cause because one broken line leads to different output and mismatches in each case.
func complaint(r *suites.Record) (Cause, bool) {
	all := complained().FindAllStringSubmatch(r.ActualStderr, -1)
	for _, m := range slices.Backward(all) {
		if base(m[1]) == base(r.Hook) && !inSandbox(r, m[1]) {
			return Cause{Kind: Equal, Hook: r.Hook, Text: fmt.Sprintf("%s %s", r.Hook, everywhere(r, m[2]))}, true
		}
	}
	return Cause{}, false
}

// Messages of Python, Node and the shell about a script that does not exist.
var absent = []func() *regexp.Regexp{
	pattern.Lazy(`can't open file '([^']+)': \[Errno 2\]`),
	pattern.Lazy(`(?m)^Error: Cannot find module '([^']+)'$`),
	pattern.Lazy(`(?m)^\S*sh: \d+: (\S+): not found$`),
}

// exception matches the last line of an exception in Python, and the line of Node with its name.
var exception = pattern.Lazy(`(?m)^(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Interrupt|Exit)\b.*$`)

// raised returns the cause that Python and Node report in stderr if they cannot find or parse the
// hook, or if it ended with an exception.
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

// placed matches the position of an error in the formats of bash, Python and Node.
var placed = pattern.Lazy(`([^\s"'(:]+)(?:: line |", line |:)(\d+)\b`)

// node matches the end of Node's report of an exception.
var node = pattern.Lazy(`(?m)^Node\.js v`)

// Line returns the line of a script that its stderr names last, 0 if none. Programs name the
// innermost position last, except Node, which names it first.
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

// base returns the last part of a path. The rest differs if cases have copies of the project.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// inSandbox reports whether a path is in the sandbox of a record's case.
func inSandbox(r *suites.Record, path string) bool {
	_, _, found := sandbox(r, path)
	return found
}

// everywhere returns text with sandbox paths replaced, because they differ in each run.
func everywhere(r *suites.Record, text string) string {
	for {
		from, to, found := sandbox(r, text)
		if !found {
			return text
		}
		text = text[:from] + "{sandbox}" + text[to:]
	}
}

// sandbox finds the first path in a text that leads to the sandbox of a record's case. The sandbox
// is named after the case and a number.
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
