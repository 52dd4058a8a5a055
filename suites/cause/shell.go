package cause

import (
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// What bash says of a script that it cannot parse, and of one that it cannot find.
var (
	unparsed = pattern.Lazy(`(?m)^(\S.*?): (line \d+: (?:syntax error|unexpected EOF).*)$`)
	unfound  = pattern.Lazy(`(?m)^(\S.*?): (line \d+): (\S*/[^/\s:]+\.(?:sh|bash|inc))` + missing + `$`)
)

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
	m := unfound().FindStringSubmatch(r.ActualStderr)
	if m == nil || base(m[1]) != base(r.Hook) || inSandbox(r, m[3]) {
		return Cause{}, false
	}
	return Cause{Kind: Library, Hook: base(m[3]), Text: base(m[1]) + " " + m[2] + missing}, true
}
