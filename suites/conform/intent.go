package conform

import (
	"regexp"
	"strings"

	"hookwatch/suites/pattern"
)

// mayDeny reports whether a hook's text has what stops something: it ends with 2, or writes a
// decision.
func mayDeny(text string) bool { return denies().MatchString(text) }

// mayReact reports whether a hook may end otherwise than with 0, or say something, so that it is
// worth a look whether it does so for an input that guards stop.
func mayReact(text string) bool { return mayDeny(text) || reacts().MatchString(text) }

var (
	denies = pattern.Lazy(`exit[ (]+2|exitCode\s*=\s*2|["'](?:deny|block|ask)\b|\\"(?:deny|block|ask)\b|permissionDecision`)
	reacts = pattern.Lazy(`exit[ (]+[1-9$A-Za-z-]|exitCode\s*=\s*[1-9A-Za-z]|>&2|\becho\s|\bprint(?:f\s|\()|console\.log|sys\.stderr|console\.error|\braise\b|\bthrow\b|\breturn [1-9]`)
)

// calls reports whether a text calls a program, or looks for it.
func calls(text, program string) bool {
	return regexp.MustCompile(`(^|[\s|;&("'` + "`" + `])` + regexp.QuoteMeta(program) + `[\s;)"']`).MatchString(text)
}

// sleepsIn reports whether a text may wait for a time that it names.
func sleepsIn(text string) bool { return sleeps().MatchString(withoutComments(text)) }

var sleeps = pattern.Lazy(`\bsleep\b|setTimeout|Atomics\.wait`)

// asksHere reports whether a text asks a server on its own machine over HTTP.
func asksHere(text string) bool {
	return strings.Contains(text, "http://") && here().MatchString(withoutComments(text))
}

var here = pattern.Lazy(`127\.0\.0\.1|\blocalhost\b`)

// frail are programs that some machines do not have.
var frail = []string{"jq", "jaq", "python3", "node", "uv", "perl", "ruby", "bc", "rg", "bun"}

// withoutComments blanks lines that are comments, so that places stay.
func withoutComments(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if s := strings.TrimSpace(l); strings.HasPrefix(s, "#") || strings.HasPrefix(s, "//") {
			lines[i] = strings.Repeat(" ", len(l))
		}
	}
	return strings.Join(lines, "\n")
}
