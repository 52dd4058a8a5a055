package scripts

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A flat is a word as text in which every expansion is one byte.
type flat struct {
	text   string
	vars   []string // by expansion: the variable's name, "" for anything else
	glob   bool     // has an unquoted pattern
	braces bool     // has an unquoted brace
	lists  bool     // has the output of a program that lists names
	names  bool     // of one that lists files
}

func flatten(w *syntax.Word) flat {
	var f flat
	var text strings.Builder
	f.parts(&text, w.Parts, false)
	f.text = text.String()
	return f
}

func (f *flat) parts(text *strings.Builder, parts []syntax.WordPart, quoted bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			value := strings.ReplaceAll(p.Value, `\`, "")
			f.write(text, value)
			f.glob = f.glob || !quoted && strings.ContainsAny(value, "*?[")
			f.braces = f.braces || !quoted && strings.Contains(value, "{")
		case *syntax.SglQuoted:
			f.write(text, p.Value)
		case *syntax.DblQuoted:
			f.parts(text, p.Parts, true)
		case *syntax.ExtGlob:
			f.write(text, "*"+p.Pattern.Value)
			f.glob = true
		case *syntax.ParamExp:
			f.expand(text, variableOf(p))
		case *syntax.CmdSubst:
			f.lists = f.lists || listsNames(p, listers) || listsNames(p, tellers)
			f.names = f.names || listsNames(p, listers)
			f.expand(text, "")
		default:
			f.expand(text, "")
		}
	}
}

// write adds text as it stands, but for the byte that has a meaning here.
func (f *flat) write(text *strings.Builder, s string) {
	text.WriteString(strings.ReplaceAll(s, expanded, ""))
}

func (f *flat) expand(text *strings.Builder, variable string) {
	text.WriteString(expanded)
	f.vars = append(f.vars, variable)
}

// variableOf is the variable whose whole value an expansion gives, but for a
// default; "" for what takes a part of it or goes through it to another.
func variableOf(p *syntax.ParamExp) string {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.Slice != nil || p.Repl != nil || p.Names != 0 {
		return ""
	}
	if p.Exp != nil {
		switch p.Exp.Op {
		case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull,
			syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		default:
			return ""
		}
	}
	return p.Param.Value
}

// Programs that give names that no text spells out: of files that there are, and of
// others.
var (
	listers = set("find fd ls compgen")
	tellers = set("git readlink")
)

// listsNames reports whether a substitution runs one of the programs.
func listsNames(c *syntax.CmdSubst, programs map[string]bool) bool {
	found := false
	syntax.Walk(c, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 && programs[call.Args[0].Lit()] {
			found = true
		}
		return true
	})
	return found
}

// operandOf tells what a token of the word starts with. A path that goes up,
// or on through further expansions, may lead anywhere.
func (f *flat) operandOf(token string) Operand {
	o := Operand{}
	for _, v := range f.vars {
		if v != "" {
			o.Uses = append(o.Uses, v)
		}
	}
	rest, expands := strings.CutPrefix(token, expanded)
	switch {
	case strings.Contains(token, ".."), strings.Contains(rest, expanded):
	case !expands:
		o.Literal = true
	case rest == "" || rest[0] == '/':
		at := max(strings.Index(f.text, token), 0)
		o.Variable = f.vars[strings.Count(f.text[:at], expanded)]
	}
	return o
}
