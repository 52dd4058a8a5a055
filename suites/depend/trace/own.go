package trace

import (
	"fmt"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// whole checks whether the file uses its own text or its line numbers.
func (b *builder) whole(file *syntax.File) {
	w := &ownReader{script: b.script}
	syntax.Walk(file, w.visit)
}

type ownReader struct {
	script *Script
	stack  []syntax.Node
	tests  int
}

func (w *ownReader) visit(n syntax.Node) bool {
	if n == nil {
		switch w.stack[len(w.stack)-1].(type) {
		case *syntax.TestClause, *syntax.CaseItem:
			w.tests--
		}
		w.stack = w.stack[:len(w.stack)-1]
		return true
	}
	switch n := n.(type) {
	case *syntax.ParamExp:
		w.parameter(n)
	case *syntax.Lit: // in arithmetic, a variable is a literal
		w.lines(n, n.Value)
	case *syntax.SglQuoted: // a trap's action, or PS4
		w.lines(n, n.Value)
	case *syntax.CallExpr:
		w.call(n)
	case *syntax.ExtGlob:
		w.script.ExtGlobs = w.script.ExtGlobs || w.tests == 0
	case *syntax.TestClause:
		w.tests++
	case *syntax.CaseItem:
		w.tests++
		for _, p := range n.Patterns {
			for _, part := range p.Parts {
				if _, ok := part.(*syntax.ExtGlob); ok {
					w.script.ExtGlobs = true // in case, unlike in [[ ]]
				}
			}
		}
	}
	w.stack = append(w.stack, n)
	return true
}

func (w *ownReader) lines(n syntax.Node, text string) {
	if strings.Contains(text, "LINENO") {
		w.script.Numbers = fmt.Sprintf("it uses LINENO on line %d", n.Pos().Line())
	}
}

func (w *ownReader) parameter(p *syntax.ParamExp) {
	if p.Param == nil {
		return
	}
	switch p.Param.Value {
	case "0", "BASH_SOURCE":
		if !directoryOf(p) && !w.harmless(p) {
			w.script.Own = fmt.Sprintf("it may read its own text ($%s on line %d)", p.Param.Value, p.Pos().Line())
		}
	}
}

// directoryOf reports whether an expansion uses only one part of a path.
func directoryOf(p *syntax.ParamExp) bool {
	if p.Exp == nil || p.Exp.Word == nil {
		return p.Length
	}
	switch pattern := p.Exp.Word.Lit(); p.Exp.Op {
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return strings.HasPrefix(pattern, "/")
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return strings.HasSuffix(pattern, "/")
	default:
		return false
	}
}

// harmless reports whether the script's own path is used without opening the file to read it: as
// an argument of dirname, in a comparison, in a message, or to run the script.
func (w *ownReader) harmless(p *syntax.ParamExp) bool {
	for i := len(w.stack) - 1; i >= 0; i-- {
		switch n := w.stack[i].(type) {
		case *syntax.TestClause:
			return true
		case *syntax.Redirect:
			if n.Hdoc != nil {
				return true
			}
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				return false
			}
			if len(n.Args) > 0 && within(n.Args[0], p) {
				return true // it runs itself
			}
			c := commandOf(n.Args)
			if printers[c.name] && !substituted(w.stack[:i]) || c.name == "dirname" || c.name == "basename" || c.name == "[" || c.name == "test" {
				return true
			}
			if path.Base(c.name) == "bash" && len(c.words) > 0 && within(c.words[0], p) {
				return true
			}
		}
	}
	return false
}

// substituted reports whether the output at this place is read by a substitution or another
// command.
func substituted(stack []syntax.Node) bool {
	for _, n := range stack {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.BinaryCmd:
			return true
		}
	}
	return false
}

func within(outer, inner syntax.Node) bool {
	return outer.Pos().Offset() <= inner.Pos().Offset() && inner.End().Offset() <= outer.End().Offset()
}

func (w *ownReader) call(n *syntax.CallExpr) {
	if len(n.Args) == 0 {
		return
	}
	c := commandOf(n.Args)
	switch c.name {
	case "caller":
		w.script.Numbers = fmt.Sprintf("it uses caller on line %d", n.Pos().Line())
	case "set":
		for _, a := range c.args {
			if a == "verbose" || len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, "v") {
				w.script.Own = fmt.Sprintf("it prints its own text (set %s on line %d)", a, n.Pos().Line())
			}
		}
	case "history", "fc":
		w.script.Own = fmt.Sprintf("it uses %s on line %d", c.name, n.Pos().Line())
	}
}
