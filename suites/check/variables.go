package check

import (
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites/pattern"
)

// neverSet are variables that hook authors read and no observed client sets.
var neverSet = []string{
	"CLAUDE_TOOL_INPUT", "CLAUDE_TOOL_NAME", "CLAUDE_TOOL_OUTPUT", "CLAUDE_FILE_PATH", "CLAUDE_FILE_PATHS", "CLAUDE_NOTIFICATION",
	"CLAUDE_TOOL_RESULT", "CLAUDE_TOOL_INPUT_FILE_PATH", "CLAUDE_TOOL_INPUT_COMMAND", "CLAUDE_USER_PROMPT", "CLAUDE_HOOK_EVENT", "TOOL_INPUT", "TOOL_NAME", "TOOL_SUCCESS", "TOOL_EXIT_CODE",
}

// NeverSet reports whether a variable is in the list, or is made of a field's name, such as
// CLAUDE_TOOL_INPUT_FILE_PATH and TOOL_INPUT_command.
func NeverSet(variable string) bool {
	return slices.Contains(neverSet, variable) || fieldVariable().MatchString(variable)
}

var fieldVariable = pattern.Lazy(`^(CLAUDE_)?TOOL_(INPUT|RESULT|RESPONSE|OUTPUT)_\w+$`)

// A Variable is a place at which a text reads a variable, as an offset.
type Variable struct {
	Name string
	At   int
}

// Variables returns the variables of a script that neither a client nor the script sets. Names that
// do not refer to the client are only looked for in shell scripts.
func Variables(code string, shell bool) (out []Variable) {
	for _, v := range neverSet {
		if !strings.Contains(code, v) || strings.HasPrefix(v, "TOOL_") && !shell {
			continue // most scripts: skip the costly expression
		}
		uses := regexp.MustCompile(`\$(\{` + v + `\}|` + v + `\b)|environ(\.get\(|\[)["']` + v + `["']\]?\)?|process\.env\.` + v + `\b`)
		at := uses.FindStringIndex(code)
		switch {
		case at == nil, assigns(code, v), shell && loads().MatchString(code):
			continue
		}
		out = append(out, Variable{v, at[0]})
	}
	return out
}

// loads matches the code of a shell script that may set variables which its text does not show.
var loads = pattern.Lazy(`(?m)(?:^|[;&|])\s*(?:\.|source|eval)\s`)

// assigns reports whether a script, in any language, has an assignment to a variable, or sets it otherwise.
func assigns(code, variable string) bool {
	return regexp.MustCompile(`(?m)(^|[\s;])` + variable + `=|\b(?:read\b[^;&|\n]*|for|printf -v)\s` + variable + `\b`).MatchString(code)
}
