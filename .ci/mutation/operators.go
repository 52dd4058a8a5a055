package main

import (
	"fmt"
	"slices"
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// study are the operators that selection was first measured by.
var study = []string{"delete", "negate", "constant", "swap", "exit", "insert"}

// operators by name; each gives the edits it can make of a script.
var operators = map[string]func(*source) []change{
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

// operatorNames in the order of the table. "library" is the study's operators
// on the files that a hook sources or runs, "second" an edit after another one.
var operatorNames = append(slices.Clone(study), "print", "arm", "lines", "reorder", "global", "rename", "library", "second",
	"key-value", "key-remove", "key-add", "comment", "blank", "indent", "key-space")

// cosmetic operators change nothing that bash runs, or a filter sees.
var cosmetic = map[string]bool{"comment": true, "blank": true, "indent": true, "key-space": true}

func chosen(only string) ([]string, error) {
	var list []string
	for _, name := range fields(only) {
		switch {
		case name == "study":
			list = append(list, study...)
		case slices.Contains(operatorNames, name):
			list = append(list, name)
		default:
			return nil, fmt.Errorf("unknown operator %q: one of study, %v", name, operatorNames)
		}
	}
	if len(list) == 0 {
		return operatorNames, nil
	}
	return list, nil
}

// deletions take a statement away, or leave one that does nothing where a block
// would be empty.
func deletions(s *source) []change {
	var list []change
	s.lists(func(stmts []*syntax.Stmt) {
		for _, st := range stmts {
			if hasDocument(st) {
				continue
			}
			with := ""
			if len(stmts) == 1 {
				with = ":"
			}
			list = append(list, change{start(st), end(st), with, "delete " + short(s.at(st))})
		}
	})
	return list
}

// negations turn conditions round.
func negations(s *source) []change {
	var list []change
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
			list = append(list, change{start(st), start(st) + len(text), "! { " + text + "; }", "negate " + short(text)})
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
				list = append(list, change{start(n.X), end(n.X), "! (" + s.at(n.X) + ")", "negate " + short(s.at(n))})
			}
		}
		return true
	})
	return list
}

// constants change a number or a piece of text.
func constants(s *source) []change {
	var list []change
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
						list = append(list, change{start(n) + 1, end(n) - 1, n.Value + "x", "change " + short(n.Value)})
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

func constant(l *syntax.Lit) change {
	with := l.Value + "x"
	if n, err := strconv.Atoi(l.Value); err == nil {
		with = strconv.Itoa(n + 1)
	}
	return change{start(l), end(l), with, "change " + short(l.Value)}
}

// swaps exchange && and ||.
func swaps(s *source) []change {
	var list []change
	add := func(at syntax.Pos, is bool) {
		from := int(at.Offset())
		if is {
			list = append(list, change{from, from + 2, "||", "&& to ||"})
		} else {
			list = append(list, change{from, from + 2, "&&", "|| to &&"})
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

// exits change what a script or a function says it ended with.
func exits(s *source) []change {
	var list []change
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
		list = append(list, change{start(c), end(c), with, "make it " + with})
		return true
	})
	return list
}

// insertions add a statement that shows, or that fails.
func insertions(s *source) []change {
	var list []change
	s.lists(func(stmts []*syntax.Stmt) {
		for i, st := range stmts {
			with := "echo inserted >&2"
			if s.random.IntN(3) == 0 {
				with = "false"
			}
			list = append(list, change{start(st), start(st), with + "; ", "insert " + with})
			if i == len(stmts)-1 && !hasDocument(st) {
				list = append(list, change{end(st), end(st), "\n" + with + "\n", "append " + with})
			}
		}
	})
	return list
}
