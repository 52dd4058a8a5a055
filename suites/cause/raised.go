package cause

import (
	"fmt"
	"regexp"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

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
