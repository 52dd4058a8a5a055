package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// everyBuiltin is the name for all built-in suites.
const everyBuiltin = "all"

// BuiltinName returns the name of built-in suites in an entry of Config.Suites, or "" for
// the default ones. ok is false if the entry is a path.
func BuiltinName(entry string) (name string, ok bool) {
	if entry == Builtin {
		return "", true
	}
	return strings.CutPrefix(entry, Builtin+":")
}

// isBuiltin reports whether an entry stands for built-in suites.
func isBuiltin(entry string) bool {
	_, ok := BuiltinName(entry)
	return ok
}

// BuiltinSuites returns the names of the enabled built-in suites, sorted.
func (c *Config) BuiltinSuites() []string {
	var names []string
	for _, entry := range c.Suites {
		switch name, ok := BuiltinName(entry); {
		case !ok:
		case name == "":
			names = append(names, suites.BuiltinDefault...)
		case name == everyBuiltin:
			names = append(names, suites.BuiltinNames()...)
		case suites.BuiltinFamilies[name] != nil:
			names = append(names, suites.BuiltinFamily(name)...)
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// OwnSuites returns the patterns of the project's own suites.
func (c *Config) OwnSuites() []string {
	return slices.DeleteFunc(slices.Clone(c.Suites), isBuiltin)
}

// suite reads a pattern, or the name of built-in suites.
func suite(s *source, name string, n *yaml.Node) any {
	v := glob(s, name, n)
	wanted, ok := BuiltinName(n.Value)
	known := append(suites.BuiltinEntries(), everyBuiltin)
	if v == nil || !ok || wanted == "" && n.Value == Builtin || slices.Contains(known, wanted) || slices.Contains(suites.BuiltinNames(), wanted) {
		return v
	}
	hint := "there are " + strings.Join(known, ", ")
	if near := pattern.Nearest(wanted, known); near != "" {
		hint = "did you mean " + Builtin + ":" + near + "? " + hint
	}
	return s.add(n, name+": no built-in suite "+n.Value, hint)
}
