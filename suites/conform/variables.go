package conform

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
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
		if at == nil || assigns(code, v) || shell && maySet(code, v) {
			continue
		}
		out = append(out, Variable{v, at[0]})
	}
	return out
}

// assigns reports whether a script, in any language, has an assignment to a variable, or sets it by read.
func assigns(code, variable string) bool {
	return regexp.MustCompile(`(?m)(^|[\s;])` + variable + `=|\bread\b[^;&|\n]*\s` + variable + `\b`).MatchString(code)
}

// maySet reports whether a shell script may set a variable otherwise than by an assignment: by read, a
// loop or the like, or in text that is not part of it.
func maySet(code, variable string) bool {
	script, err := shell.Read(code)
	if err != nil {
		return false
	}
	set := map[string]bool{}
	sources := slices.ContainsFunc(script.Commands, func(c *shell.Command) bool { return c.Name() == "." || c.Name() == "source" })
	return !assignsIn(script, set) || sources || set[variable]
}

// A Misspelt variable is read under a name that nothing sets, and set under a nearly equal one.
type Misspelt struct {
	Variable
	Meant string
}

// Misspellings returns the misspelt variables of a shell script, each once. others are scripts that
// it may load, which may set some. A script that does not parse or that computes names has none.
func Misspellings(code string, others ...string) (out []Misspelt) {
	set := map[string]bool{}
	var script *shell.Script
	for _, text := range append(others, code) {
		var err error
		if script, err = shell.Read(text); err != nil || !setsIn(script, set) {
			return nil
		}
	}
	names := slices.Sorted(maps.Keys(set))
	for _, p := range script.Parameters {
		if p.Name == "" || p.Op != "" || p.Indirect || set[p.Name] {
			continue
		}
		known := slices.ContainsFunc(out, func(m Misspelt) bool { return m.Name == p.Name })
		if i := slices.IndexFunc(names, func(n string) bool { return nearly(p.Name, n) }); i >= 0 && !known {
			out = append(out, Misspelt{Variable{p.Name, p.Start}, names[i]})
		}
	}
	return out
}

// setters are commands whose words are names that they set.
var setters = []string{"read", "mapfile", "readarray", "getopts", "unset"}

// setsIn adds the variables that a script sets or gives a value where it reads them. It returns false if
// not all assignments are known.
func setsIn(s *shell.Script, set map[string]bool) bool {
	for _, p := range s.Parameters {
		if p.Op != "" {
			set[p.Name] = true // the operator may provide a value
		}
	}
	return assignsIn(s, set)
}

// assignsIn adds the variables that a script sets. It returns false if not all assignments are known.
func assignsIn(s *shell.Script, set map[string]bool) bool {
	for _, a := range s.Assigns {
		set[a.Name] = true
	}
	for _, l := range s.Loops {
		set[l.Name] = true
	}
	for _, name := range s.Arithmetic {
		set[name] = true // it may be set there
	}
	for _, c := range s.Commands {
		switch name := c.Name(); {
		case name == "eval" || name == "printf" && len(c.Args) > 1 && c.Args[1].Bare() == "-v":
			return false
		case slices.Contains(setters, name):
			for _, word := range c.Args[1:] {
				set[word.Bare()] = true
			}
		}
	}
	return true
}

// nearly reports whether two names differ in only one letter, or only in case.
func nearly(a, b string) bool {
	const shortest = 5
	if len(a) < shortest || len(b) < shortest || strings.HasPrefix(a, "CLAUDE_") {
		return false
	}
	if strings.EqualFold(a, b) {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return len(b)-len(a) == 1 && a[i:] == b[i+1:] || len(a) == len(b) && i < len(a) && a[i+1:] == b[i+1:]
}
