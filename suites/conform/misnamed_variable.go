package conform

import (
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites/pattern"
)

// neverSet are variables that people read and no observed client sets.
var neverSet = []string{
	"CLAUDE_TOOL_INPUT", "CLAUDE_TOOL_NAME", "CLAUDE_TOOL_OUTPUT", "CLAUDE_FILE_PATH", "CLAUDE_FILE_PATHS", "CLAUDE_NOTIFICATION",
	"CLAUDE_TOOL_RESULT", "CLAUDE_TOOL_INPUT_FILE_PATH", "CLAUDE_TOOL_INPUT_COMMAND", "CLAUDE_USER_PROMPT", "CLAUDE_HOOK_EVENT", "TOOL_INPUT", "TOOL_NAME", "TOOL_SUCCESS", "TOOL_EXIT_CODE",
}

// NeverSet knows those of the list, and the many made of a field's name, such as
// CLAUDE_TOOL_INPUT_FILE_PATH and TOOL_INPUT_command.
func NeverSet(variable string) bool {
	return slices.Contains(neverSet, variable) || fieldVariable().MatchString(variable)
}

var fieldVariable = pattern.Lazy(`^(CLAUDE_)?TOOL_(INPUT|RESULT|RESPONSE|OUTPUT)_\w+$`)

// A Variable is where a text reads one, as an offset.
type Variable struct {
	Name string
	At   int
}

// Variables lists those of a script that no client sets, and neither does it. Names that
// say nothing of the client are looked for in shell alone.
func Variables(code string, shell bool) (out []Variable) {
	for _, v := range neverSet {
		if !strings.Contains(code, v) || strings.HasPrefix(v, "TOOL_") && !shell {
			continue // most scripts: an expression costs more
		}
		uses := regexp.MustCompile(`\$(\{` + v + `\}|` + v + `\b)|environ(\.get\(|\[)["']` + v + `["']\]?\)?|process\.env\.` + v + `\b`)
		at := uses.FindStringIndex(code)
		if at == nil || regexp.MustCompile(`(?m)(^|[\s;])`+v+`=`).MatchString(code) {
			continue
		}
		out = append(out, Variable{v, at[0]})
	}
	return out
}
