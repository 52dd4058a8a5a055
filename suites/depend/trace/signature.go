package trace

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A signature is how bash announces a command: its words as they are written,
// without white space, as far as bash does not write them anew. Redirections
// come behind the words, so a signature is only ever a beginning.
type signature string

// signatureOf is a command's own signature; other nodes have none.
func signatureOf(n syntax.Node) (signature, bool) {
	switch n := n.(type) {
	case *syntax.CallExpr:
		return callSignature(n), true
	case *syntax.DeclClause:
		return signature(n.Variant.Value), true
	case *syntax.LetClause:
		return "let", true
	case *syntax.TestClause:
		return "[[", true
	case *syntax.ArithmCmd, *syntax.CStyleLoop:
		return "((", true
	case *syntax.ForClause:
		if n.Select {
			return "select", true
		}
		return "for", true
	case *syntax.CaseClause:
		return "case", true
	case *syntax.Stmt:
		if n.Cmd == nil {
			return "", true // only redirections
		}
	}
	return "", false
}

func callSignature(c *syntax.CallExpr) signature {
	var b strings.Builder
	for _, a := range c.Assigns {
		if a.Name == nil || a.Index != nil || a.Array != nil || a.Value == nil {
			if a.Name != nil {
				b.WriteString(a.Name.Value)
			}
			return signature(b.String())
		}
		b.WriteString(a.Name.Value)
		if a.Append {
			b.WriteByte('+')
		}
		b.WriteByte('=')
		if !signWord(&b, a.Value.Parts) {
			return signature(b.String())
		}
	}
	for _, w := range c.Args {
		if !signWord(&b, w.Parts) {
			break
		}
	}
	return signature(b.String())
}

// signWord adds a word's text and reports whether all of it is as bash has it.
func signWord(b *strings.Builder, parts []syntax.WordPart) bool {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(squeeze(p.Value))
		case *syntax.SglQuoted:
			if p.Dollar {
				return false
			}
			b.WriteString("'" + squeeze(p.Value) + "'")
		case *syntax.DblQuoted:
			if p.Dollar {
				return false
			}
			b.WriteByte('"')
			if !signWord(b, p.Parts) {
				return false
			}
			b.WriteByte('"')
		case *syntax.ParamExp:
			if !p.Short || p.Param == nil {
				return false
			}
			b.WriteString("$" + p.Param.Value)
		default:
			return false
		}
	}
	return true
}

// announces reports whether bash's text, squeezed and perhaps cut short, can be
// of the command.
func (s signature) announces(text string, cut bool) bool {
	return strings.HasPrefix(text, string(s)) || cut && strings.HasPrefix(string(s), text)
}

func squeeze(s string) string {
	return strings.Map(func(c rune) rune {
		switch c {
		case ' ', '\t', '\n', '\r', '\\':
			return -1
		}
		return c
	}, s)
}
