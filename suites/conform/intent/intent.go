// Package intent reads from the text of a guard what it is meant to stop.
package intent

import (
	"regexp"
	"strings"

	"hookwatch/suites/pattern"
)

// MayDeny reports whether a hook's text may stop something: it ends with 2, writes a
// decision, or ends with another code and speaks of stopping.
func MayDeny(text string) bool {
	return denies().MatchString(text) || fails().MatchString(text) && Stops().MatchString(text)
}

var (
	denies = pattern.Lazy(`exit[ (]+2|exitCode\s*=\s*2|["'](?:deny|block|ask)\b|\\"(?:deny|block|ask)\b|permissionDecision`)
	fails  = pattern.Lazy(`exit[ (]+[1-9$A-Za-z]|exitCode\s*=\s*\S`)
)

// Stops matches what a hook says that stops something.
var Stops = pattern.Lazy(`(?i)\b(block(ed|ing)?|den(y|ied)|forbidden|not allowed|refus(ed|ing)|prohibited|disallowed)\b`)

// Calls reports whether a text calls a program, or looks for it.
func Calls(text, program string) bool {
	return regexp.MustCompile(`(^|[\s|;&("'` + "`" + `])` + regexp.QuoteMeta(program) + `[\s;)"']`).MatchString(text)
}

// AsksHere reports whether a text asks a server on its own machine over HTTP.
func AsksHere(text string) bool {
	return strings.Contains(text, "http://") && here().MatchString(WithoutComments(text))
}

var here = pattern.Lazy(`127\.0\.0\.1|\blocalhost\b`)

// Frail are programs that some machines do not have.
var Frail = []string{"jq", "jaq", "python3", "node", "uv", "perl", "ruby", "bc", "rg", "bun"}

// DecidesDeny matches a decision that stops a call.
var DecidesDeny = pattern.Lazy(`"(?:permissionDecision|decision)"\s*:\s*"(?:deny|block)"`)

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
