package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// everyBuiltin is the name that stands for all built-in suites.
const everyBuiltin = "all"

// BuiltinName is the name in an entry of Config.Suites that stands for built-in
// suites: "" for the usual ones.
func BuiltinName(entry string) (name string, ok bool) {
	if entry == Builtin {
		return "", true
	}
	return strings.CutPrefix(entry, Builtin+":")
}

// isBuiltin reports whether an entry stands for no file.
func isBuiltin(entry string) bool {
	_, ok := BuiltinName(entry)
	return ok
}

// BuiltinSuites names the built-in suites that are switched on, sorted.
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

// OwnSuites are the patterns of the project's own suites.
func (c *Config) OwnSuites() []string {
	return slices.DeleteFunc(slices.Clone(c.Suites), isBuiltin)
}

// suite takes a pattern, or built-in suites by name.
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
