package mutate

import (
	"fmt"
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// bashOperators are the operators of bash by name. Those that are not in Operators test the
// selection of cases.
var bashOperators = map[string]func(*Source) []Change{
	"delete":   deletions,
	"negate":   negations,
	"constant": constants,
	"swap":     swaps,
	"exit":     exits,
	"insert":   insertions,
	"lines":    addedLines,
	"reorder":  reorders,
	"global":   globals,
	"rename":   renames,
	"comment":  comments,
	"blank":    blanks,
	"indent":   indents,
	"print":    prints,
	"arm":      arms,
}

// deletions remove a statement, or replace the only one of a block by one that does nothing.
func deletions(s *Source) []Change {
	var list []Change
	s.lists(func(stmts []*syntax.Stmt) {
		for _, st := range stmts {
			if hasDocument(st) {
				continue
			}
			with := ""
			if len(stmts) == 1 {
				with = ":"
			}
			list = append(list, Change{start(st), end(st), with, "delete " + short(s.at(st))})
		}
	})
	return list
}

// negations negate conditions.
func negations(s *Source) []Change {
	var list []Change
	add := func(cond []*syntax.Stmt) {
		if len(cond) != 1 || hasDocument(cond[0]) {
			return
		}
		st := cond[0]
		text := s.at(st)
		switch {
		case text[len(text)-1] == ';':
			text = text[:len(text)-1]
			fallthrough
		default:
			list = append(list, Change{start(st), start(st) + len(text), "! { " + text + "; }", "negate " + short(text)})
		}
	}
	syntax.Walk(s.tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.IfClause:
			add(n.Cond)
		case *syntax.WhileClause:
			add(n.Cond)
		case *syntax.TestClause:
			if _, already := n.X.(*syntax.UnaryTest); !already {
				list = append(list, Change{start(n.X), end(n.X), "! (" + s.at(n.X) + ")", "negate " + short(s.at(n))})
			}
		}
		return true
	})
	return list
}

// constants change a number or a piece of text.
func constants(s *Source) []Change {
	var list []Change
	words := func(words []*syntax.Word) {
		for _, w := range words {
			syntax.Walk(w, func(n syntax.Node) bool {
				switch n := n.(type) {
				case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ParamExp:
					return false
				case *syntax.Lit:
					list = append(list, constant(n))
				case *syntax.SglQuoted:
					if len(n.Value) > 0 && !n.Dollar {
						list = append(list, Change{start(n) + 1, end(n) - 1, n.Value + "x", "change " + short(n.Value)})
					}
				}
				return true
			})
		}
	}
	syntax.Walk(s.tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			words(n.Args[min(1, len(n.Args)):])
			for _, a := range n.Assigns {
				if a.Value != nil {
					words([]*syntax.Word{a.Value})
				}
			}
		case *syntax.BinaryTest:
			if w, ok := n.Y.(*syntax.Word); ok {
				words([]*syntax.Word{w})
			}
		case *syntax.CaseItem:
			words(n.Patterns)
		}
		return true
	})
	return list
}

func constant(l *syntax.Lit) Change {
	with := l.Value + "x"
	if n, err := strconv.Atoi(l.Value); err == nil {
		with = strconv.Itoa(n + 1)
	}
	return Change{start(l), end(l), with, "change " + short(l.Value)}
}

// swaps exchange && and ||.
func swaps(s *Source) []Change {
	var list []Change
	add := func(at syntax.Pos, is bool) {
		from := int(at.Offset())
		if is {
			list = append(list, Change{from, from + 2, "||", "&& to ||"})
		} else {
			list = append(list, Change{from, from + 2, "&&", "|| to &&"})
		}
	}
	syntax.Walk(s.tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			if n.Op == syntax.AndStmt || n.Op == syntax.OrStmt {
				add(n.OpPos, n.Op == syntax.AndStmt)
			}
		case *syntax.BinaryTest:
			if n.Op == syntax.AndTest || n.Op == syntax.OrTest {
				add(n.OpPos, n.Op == syntax.AndTest)
			}
		}
		return true
	})
	return list
}

// exits change the status that a script or a function ends with.
func exits(s *Source) []Change {
	var list []Change
	syntax.Walk(s.tree, func(n syntax.Node) bool {
		c, ok := n.(*syntax.CallExpr)
		if !ok || len(c.Args) == 0 || c.Args[0].Lit() != "exit" && c.Args[0].Lit() != "return" {
			return true
		}
		with := c.Args[0].Lit() + " 3"
		if len(c.Args) > 1 {
			if code, err := strconv.Atoi(c.Args[1].Lit()); err == nil {
				with = fmt.Sprintf("%s %d", c.Args[0].Lit(), (code+1)%3)
			}
		}
		list = append(list, Change{start(c), end(c), with, "make it " + with})
		return true
	})
	return list
}

// insertions add a statement that prints, or that fails.
func insertions(s *Source) []Change {
	var list []Change
	s.lists(func(stmts []*syntax.Stmt) {
		for i, st := range stmts {
			with := "echo inserted >&2"
			if s.random.IntN(3) == 0 {
				with = "false"
			}
			list = append(list, Change{start(st), start(st), with + "; ", "insert " + with})
			if i == len(stmts)-1 && !hasDocument(st) {
				list = append(list, Change{end(st), end(st), "\n" + with + "\n", "append " + with})
			}
		}
	})
	return list
}
