// Package mutants makes mutants of scripts and of JSON files: edits of one place.
package mutants

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/depend/trace"
)

// A Mutant is a file with one edit.
type Mutant struct {
	Operator, File, What string
	Line                 int
	Original, Content    []byte
	First                []byte // of a second edit: the text before the first; nil for others
}

// Unedited is the text of the project's file.
func (m Mutant) Unedited() []byte {
	if m.First != nil {
		return m.First
	}
	return m.Original
}

func (m Mutant) String() string { return fmt.Sprintf("%s:%d %s", m.File, m.Line, m.What) }

// A Change is one edit of a text: bytes from..to become with.
type Change struct {
	From, To int
	With     string
	What     string
}

// A Source is a script that mutants are made of.
type Source struct {
	File      string
	Text      []byte
	tree      *syntax.File
	structure uint64
	random    *rand.Rand
}

// NewSource parses a script; what is drawn by chance is drawn by the seed.
func NewSource(file string, text []byte, seed uint64) (*Source, error) {
	tree, err := syntax.NewParser(syntax.KeepComments(true)).Parse(bytes.NewReader(text), file)
	if err != nil {
		return nil, err
	}
	script, err := trace.Parse(file, text)
	if err != nil {
		return nil, err
	}
	return &Source{File: file, Text: text, tree: tree, structure: script.Structure, random: rand.New(rand.NewPCG(seed, 0))}, nil
}

// Mutant is the file with the change. One that cannot be parsed is none, nor
// one that changes nothing where it should, or something where it should not.
func (s *Source) Mutant(op string, c Change) (Mutant, bool) {
	content := s.apply(c)
	parsed, err := trace.Parse(s.File, content)
	if err != nil || bytes.Equal(content, s.Text) || (parsed.Structure == s.structure) != cosmetic[op] {
		return Mutant{}, false
	}
	return Mutant{
		Operator: op, File: s.File, What: c.What, Original: s.Text, Content: content,
		Line: 1 + bytes.Count(s.Text[:c.From], []byte("\n")),
	}, true
}

func (s *Source) apply(c Change) []byte {
	return slices.Concat(s.Text[:c.From], []byte(c.With), s.Text[c.To:])
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

func (s *Source) at(n syntax.Node) string { return string(s.Text[start(n):end(n)]) }

func start(n syntax.Node) int { return int(n.Pos().Offset()) }
func end(n syntax.Node) int   { return int(n.End().Offset()) }

// hasDocument reports whether a here-document belongs to the statement, which
// then is not one piece of text.
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

func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 40 {
		return text[:40] + "..."
	}
	return text
}

// Extents are the functions of a script, outer ones first.
type Extents []*syntax.FuncDecl

// Functions are those of a script.
func (s *Source) Functions() Extents {
	var list Extents
	syntax.Walk(s.tree, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok {
			list = append(list, f)
		}
		return true
	})
	return list
}

// At is the name of the innermost function around an offset.
func (e Extents) At(offset int) string {
	name := ""
	for _, f := range e {
		if start(f) < offset && offset < end(f) {
			name = f.Name.Value
		}
	}
	return name
}
