package scripts

import (
	"slices"
	"strings"

	"hookwatch/suites/shell"
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

func flatten(w *shell.Word) flat {
	var f flat
	var text strings.Builder
	for _, p := range w.Parts {
		switch p.Kind {
		case shell.Literal:
			value := p.Text
			if p.Quote != '\'' {
				value = strings.ReplaceAll(value, `\`, "")
			}
			f.write(&text, value)
			f.glob = f.glob || p.Quote == 0 && strings.ContainsAny(value, "*?[")
			f.braces = f.braces || p.Quote == 0 && strings.Contains(value, "{")
		case shell.Extended:
			f.write(&text, "*"+p.Text)
			f.glob = true
		case shell.Expansion:
			f.expand(&text, p.Parameter.Variable())
		case shell.Substitution:
			files := slices.ContainsFunc(p.Runs, func(name string) bool { return listers[name] })
			f.names = f.names || files
			f.lists = f.lists || files || slices.ContainsFunc(p.Runs, func(name string) bool { return tellers[name] })
			f.expand(&text, "")
		case shell.Other:
			f.expand(&text, "")
		}
	}
	f.text = text.String()
	return f
}

// write adds text as it stands, but for the byte that has a meaning here.
func (f *flat) write(text *strings.Builder, s string) {
	text.WriteString(strings.ReplaceAll(s, expanded, ""))
}

func (f *flat) expand(text *strings.Builder, variable string) {
	text.WriteString(expanded)
	f.vars = append(f.vars, variable)
}

// Programs that give names that no text spells out: of files that there are, and of
// others.
var (
	listers = set("find fd ls compgen")
	tellers = set("git readlink")
)

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
