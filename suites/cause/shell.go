package cause

import (
	"fmt"
	"slices"
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
