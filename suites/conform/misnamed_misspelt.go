package conform

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/shell"
)

// A Misspelt variable is read under a name that nothing sets, and set under one that is nearly
// the same.
type Misspelt struct {
	Variable
	Meant string
}

// Misspellings lists the misspelt variables of a shell script, each once. others are the
// scripts that it may load, which may set some. A script that does not parse
// or that computes names has none.
func Misspellings(code string, others ...string) (out []Misspelt) {
	set := map[string]bool{}
	for _, text := range others {
		if !setsIn(text, set) {
			return nil
		}
	}
	if !setsIn(code, set) {
		return nil
	}
	file, err := shell.Parse(code, syntax.Variant(syntax.LangBash))
	if err != nil {
		return nil
	}
	var names []string
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	syntax.Walk(file, func(node syntax.Node) bool {
		p, ok := node.(*syntax.ParamExp)
		if !ok || p.Param == nil || p.Exp != nil || p.Excl || set[p.Param.Value] {
			return true
		}
		name := p.Param.Value
		known := slices.ContainsFunc(out, func(m Misspelt) bool { return m.Name == name })
		if i := slices.IndexFunc(names, func(n string) bool { return nearly(name, n) }); i >= 0 && !known {
			out = append(out, Misspelt{Variable{name, int(p.Pos().Offset())}, names[i]})
		}
		return true
	})
	return out
}

// setters are commands whose words are names that they set.
var setters = []string{"read", "mapfile", "readarray", "getopts", "unset"}

// setsIn adds the variables that a script sets. It reports false for a script whose
// assignments are not all known.
func setsIn(code string, set map[string]bool) bool {
	file, err := shell.Parse(code, syntax.Variant(syntax.LangBash))
	if err != nil {
		return false
	}
	known := true
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				set[n.Name.Value] = true
			}
		case *syntax.WordIter:
			set[n.Name.Value] = true
		case *syntax.BinaryArithm, *syntax.UnaryArithm:
			syntax.Walk(node, func(node syntax.Node) bool {
				if lit, ok := node.(*syntax.Lit); ok {
					set[lit.Value] = true // it may be set there
				}
				return true
			})
		case *syntax.ParamExp:
			if n.Param != nil && n.Exp != nil {
				set[n.Param.Value] = true // it has a value for want of one
			}
		case *syntax.CallExpr:
			known = known && setByCall(n, set)
		}
		return true
	})
	return known
}

func setByCall(call *syntax.CallExpr, set map[string]bool) bool {
	if len(call.Args) == 0 {
		return true
	}
	switch name := call.Args[0].Lit(); {
	case name == "eval" || name == "printf" && len(call.Args) > 1 && call.Args[1].Lit() == "-v":
		return false
	case slices.Contains(setters, name):
		for _, word := range call.Args[1:] {
			set[word.Lit()] = true
		}
	}
	return true
}

// nearly reports whether two names are the same but for one letter, or for upper and lower case.
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
