// Package intent reads from the text of a guard what it is meant to stop.
package intent

import (
	"regexp"
	"strings"

	"hookwatch/suites/pattern"
)

// MayDeny reports whether a hook's text has what stops something: it ends with 2, or writes a
// decision.
func MayDeny(text string) bool { return denies().MatchString(text) }

// MayReact reports whether a hook may end otherwise than with 0, or say something, so that it is
// worth a look whether it does so for an input that guards stop.
func MayReact(text string) bool { return MayDeny(text) || reacts().MatchString(text) }

var (
	denies = pattern.Lazy(`exit[ (]+2|exitCode\s*=\s*2|["'](?:deny|block|ask)\b|\\"(?:deny|block|ask)\b|permissionDecision`)
	reacts = pattern.Lazy(`exit[ (]+[1-9$A-Za-z-]|exitCode\s*=\s*[1-9A-Za-z]|>&2|\becho\s|\bprint(?:f\s|\()|console\.log|sys\.stderr|console\.error|\braise\b|\bthrow\b|\breturn [1-9]`)
)

// Calls reports whether a text calls a program, or looks for it.
func Calls(text, program string) bool {
	return regexp.MustCompile(`(^|[\s|;&("'` + "`" + `])` + regexp.QuoteMeta(program) + `[\s;)"']`).MatchString(text)
}

// Sleeps reports whether a text may wait for a time that it names.
func Sleeps(text string) bool { return sleeps().MatchString(WithoutComments(text)) }

var sleeps = pattern.Lazy(`\bsleep\b|setTimeout|Atomics\.wait`)

// AsksHere reports whether a text asks a server on its own machine over HTTP.
func AsksHere(text string) bool {
	return strings.Contains(text, "http://") && here().MatchString(WithoutComments(text))
}

var here = pattern.Lazy(`127\.0\.0\.1|\blocalhost\b`)

// Frail are programs that some machines do not have.
var Frail = []string{"jq", "jaq", "python3", "node", "uv", "perl", "ruby", "bc", "rg", "bun"}

// WithoutComments blanks lines that are comments, so that places stay.
func WithoutComments(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if s := strings.TrimSpace(l); strings.HasPrefix(s, "#") || strings.HasPrefix(s, "//") {
			lines[i] = strings.Repeat(" ", len(l))
		}
	}
	return strings.Join(lines, "\n")
}
