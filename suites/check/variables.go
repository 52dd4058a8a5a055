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

// A variable is a place at which a text reads a variable, as an offset.
type variable struct {
	Name string
	At   int
	// otherwise reports that a shell takes a default, or a part of it.
	otherwise bool
}

// readsVariable matches the variables that a script reads, in each language. Names without an underscore are those of a
// shell's own variables.
var readsVariable = pattern.Lazy(`environ(?:\.get\(|\[)\s*["'](\w+)["']|getenv\(\s*["'](\w+)["']|process\.env\.(\w+)|process\.env\[["'](\w+)["']\]|\$\{?([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b`)

// variables returns the places at which a script in any language reads variables.
func variables(code string) (all []variable) {
	for _, m := range readsVariable().FindAllStringSubmatchIndex(code, -1) {
		v := variable{At: m[0], otherwise: code[m[0]:min(m[0]+2, len(code))] == "${" && !strings.HasPrefix(code[m[1]:], "}")}
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 {
				v.Name = code[m[i]:m[i+1]]
			}
		}
		all = append(all, v)
	}
	return all
}

// unsetVariables returns the variables of a script that neither a client nor the script sets, each once. Names that
// do not refer to the client are only looked for in shell scripts.
func unsetVariables(code string, shell bool) (out []variable) {
	for _, v := range variables(code) {
		known := slices.ContainsFunc(out, func(o variable) bool { return o.Name == v.Name })
		switch {
		case known, v.otherwise, !slices.Contains(neverSet, v.Name), strings.HasPrefix(v.Name, "TOOL_") && !shell:
		case assigns(code, v.Name), shell && loads().MatchString(code):
		default:
			out = append(out, v)
		}
	}
	return out
}

// loads matches the code of a shell script that may set variables which its text does not show.
var loads = pattern.Lazy(`(?m)(?:^|[;&|])\s*(?:\.|source|eval)\s`)

// assigns reports whether a script, in any language, has an assignment to a variable, or sets it otherwise.
func assigns(code, variable string) bool {
	return regexp.MustCompile(`(?m)(^|[\s;])` + variable + `=|\b(?:read\b[^;&|\n]*|for|printf -v)\s` + variable + `\b`).MatchString(code)
}
