package mutate

import (
	"bytes"
	"math/rand/v2"

	"mvdan.cc/sh/v3/syntax"
)

// A Source is a script of bash.
type Source struct {
	parsed
	tree   *syntax.File
	random *rand.Rand
}

// NewSource parses a script. What is drawn at random depends on the seed.
func NewSource(file string, text []byte, seed uint64) (*Source, error) {
	tree, err := syntax.NewParser(syntax.KeepComments(true)).Parse(bytes.NewReader(text), file)
	if err != nil {
		return nil, err
	}
	p, err := newParsed(file, text)
	if err != nil {
		return nil, err
	}
	return &Source{p, tree, rand.New(rand.NewPCG(seed, 0))}, nil
}

// Changes implements Script.
func (s *Source) Changes(operator string) []Change {
	if of := bashOperators[operator]; of != nil {
		return of(s)
	}
	return nil
}

// lists calls do with each list of statements.
func (s *Source) lists(do func(list []*syntax.Stmt)) {
	syntax.Walk(s.tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.File:
			do(n.Stmts)
		case *syntax.Block:
			do(n.Stmts)
		case *syntax.Subshell:
			do(n.Stmts)
		case *syntax.IfClause:
			do(n.Then)
		case *syntax.WhileClause:
			do(n.Do)
		case *syntax.ForClause:
			do(n.Do)
		case *syntax.CaseItem:
			do(n.Stmts)
		case *syntax.CmdSubst:
			do(n.Stmts)
		}
		return true
	})
}

func (s *Source) at(n syntax.Node) string { return string(s.text[start(n):end(n)]) }

func start(n syntax.Node) int { return int(n.Pos().Offset()) }
func end(n syntax.Node) int   { return int(n.End().Offset()) }

// hasDocument reports whether a node has a here-document, whose text is elsewhere.
func hasDocument(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.Redirect); ok && r.Hdoc != nil {
			found = true
		}
		return !found
	})
	return found
}

// Function implements Script.
func (s *Source) Function(offset int) (name string) {
	syntax.Walk(s.tree, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && start(f) < offset && offset < end(f) {
			name = f.Name.Value
		}
		return true
	})
	return name
}
