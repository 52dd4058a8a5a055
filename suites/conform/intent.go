package conform

import (
	"regexp"

	"hookwatch/suites/pattern"
)

// mayDeny reports whether a hook's text may stop something: it ends with 2, writes a
// decision, or ends with another code and speaks of stopping.
func mayDeny(text string) bool {
	return denies().MatchString(text) || fails().MatchString(text) && stops().MatchString(text)
}

var (
	denies = pattern.Lazy(`exit[ (]+2|exitCode\s*=\s*2|["'](?:deny|block|ask)\b|\\"(?:deny|block|ask)\b|permissionDecision`)
	fails  = pattern.Lazy(`exit[ (]+[1-9$A-Za-z]|exitCode\s*=\s*\S`)
)

// stops matches what a hook says that stops something.
var stops = pattern.Lazy(`(?i)\b(block(ed|ing)?|den(y|ied)|forbidden|not allowed|refus(ed|ing)|prohibited|disallowed)\b`)

// calls reports whether a text calls a program, or looks for it.
func calls(text, program string) bool {
	return regexp.MustCompile(`(^|[\s|;&("'` + "`" + `])` + regexp.QuoteMeta(program) + `[\s;)"']`).MatchString(text)
}

// frail are programs that some machines do not have.
var frail = []string{"jq", "jaq", "python3", "node", "uv", "perl", "ruby", "bc", "rg", "bun"}

// decidesDeny matches a decision that stops a call.
var decidesDeny = pattern.Lazy(`"(?:permissionDecision|decision)"\s*:\s*"(?:deny|block)"`)
