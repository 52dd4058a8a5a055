package scripts

import (
	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/pattern"
)

// sourced matches the comment by which a script says what it sources.
var sourced = pattern.Lazy(`^\s*shellcheck\s.*\bsource=`)

// codeOf is a script's text without what only people read: its comments, and
// the words of messages. What they speak of is no dependency. A script that
// reads its own text may find anything in them.
func codeOf(text string, file *syntax.File, messages map[*syntax.Word]bool) string {
	reads := selfReader{harmless: map[*syntax.ParamExp]bool{}}
	code := []byte(text)
	blank := func(n syntax.Node) {
		for i := n.Pos().Offset(); i < min(n.End().Offset(), uint(len(code))); i++ {
			code[i] = ' '
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		reads.visit(n)
		switch n := n.(type) {
		case *syntax.Comment:
			if !sourced().MatchString(n.Text) {
				blank(n)
			}
		case *syntax.Word:
			if messages[n] {
				literals(n.Parts, blank)
			}
		}
		return true
	})
	if reads.itself {
		return text
	}
	return string(code)
}

// literals visits the parts of a word that are text as it stands.
func literals(parts []syntax.WordPart, visit func(syntax.Node)) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
			visit(p)
		case *syntax.DblQuoted:
			literals(p.Parts, visit)
		}
	}
}

// A selfReader looks for uses of a script's own path ($0, BASH_SOURCE) that may
// open the script: all but those that take the path apart, compare it or show it.
type selfReader struct {
	harmless map[*syntax.ParamExp]bool
	itself   bool
}

// ofPath are the commands that look at a path and not into its file.
var ofPath = set("dirname basename readlink realpath cd pushd echo printf test [")

func (r *selfReader) visit(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.CallExpr:
		if len(n.Args) > 0 && ofPath[n.Args[0].Lit()] {
			for _, a := range n.Args {
				r.excuse(a)
			}
		}
	case *syntax.TestClause:
		r.excuse(n)
	case *syntax.ParamExp:
		if isOwnPath(n) && !r.harmless[n] && variableOf(n) != "" {
			r.itself = true
		}
	}
}

// excuse marks the expansions of a word, but not those of commands in it.
func (r *selfReader) excuse(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok {
			r.harmless[p] = true
		}
		_, command := n.(*syntax.CmdSubst)
		return !command
	})
}

func isOwnPath(p *syntax.ParamExp) bool {
	return p.Param != nil && (p.Param.Value == "0" || p.Param.Value == "BASH_SOURCE")
}
