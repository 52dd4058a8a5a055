package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/depend/trace"
)

// A mutant is a file with one edit.
type mutant struct {
	operator, file, what string
	line                 int
	original, content    []byte
	first                []byte // of a second edit: the text before the first; nil for others
}

// unedited is the text of the project's file.
func (m mutant) unedited() []byte {
	if m.first != nil {
		return m.first
	}
	return m.original
}

func (m mutant) String() string { return fmt.Sprintf("%s:%d %s", m.file, m.line, m.what) }

// A change is one edit of a text: bytes from..to become with.
type change struct {
	from, to int
	with     string
	what     string
}

// A source is a script that mutants are made of.
type source struct {
	file      string
	text      []byte
	tree      *syntax.File
	structure uint64
	random    *rand.Rand
}

// A kind of edits is drawn by itself: an operator's in one hook, in all libraries
// or in all documents.
type kind struct{ operator, hook string }

// choose makes the mutants of the hooks, of the libraries they execute and
// of the JSON files they depend on: of each kind as many as were asked for, by
// the seed.
func (b *bench) choose() []mutant {
	edits := map[kind][]candidate{}
	for _, file := range scripts(b.traces) {
		s, err := b.lab.source(file, b.seed)
		if err != nil {
			fmt.Fprintf(b.out, "no mutants of %s: %v\n", file, err)
			continue
		}
		b.ofScript(s, edits)
	}
	for _, file := range b.standing.documents() {
		d, err := b.document(file)
		if err != nil {
			fmt.Fprintf(b.out, "no mutants of %s: %v\n", file, err)
			continue
		}
		for op, of := range documentOperators {
			for _, c := range of(d) {
				edits[kind{op, ""}] = append(edits[kind{op, ""}], candidate{d, c})
			}
		}
	}
	var chosen [][]mutant
	for _, op := range b.operators {
		var hooks []string
		for k := range edits {
			if k.operator == op {
				hooks = append(hooks, k.hook)
			}
		}
		slices.Sort(hooks)
		for _, hook := range hooks {
			chosen = append(chosen, b.sample(kind{op, hook}, edits[kind{op, hook}]))
		}
	}
	return inTurn(chosen)
}

// ofScript adds the edits of a script by operator; those of a library are only
// the study's, and stand in a row of their own.
func (b *bench) ofScript(s *source, edits map[kind][]candidate) {
	for _, op := range operatorNames {
		of, k := operators[op], kind{op, s.file}
		if of == nil {
			continue
		}
		if !b.isHook(s.file) {
			if !slices.Contains(study, op) {
				continue
			}
			k = kind{"library", ""}
		}
		for _, c := range of(s) {
			edits[k] = append(edits[k], candidate{s, c})
		}
	}
	twice := kind{"second", s.file}
	for _, c := range addedLines(s) {
		edits[twice] = append(edits[twice], candidate{second{s}, c})
	}
}

// A candidate is an edit that was not tried yet.
type candidate struct {
	of interface {
		mutant(operator string, c change) (mutant, bool)
	}
	change change
}

// sample makes some of the edits, by the seed and nothing else, until there are
// enough that a shell can parse.
func (b *bench) sample(k kind, all []candidate) []mutant {
	h := fnv.New64a()
	h.Write([]byte(k.operator + " " + k.hook))
	random := rand.New(rand.NewPCG(b.seed, h.Sum64()))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var list []mutant
	for _, c := range all {
		if b.max > 0 && len(list) == b.max {
			break
		}
		if m, ok := c.of.mutant(k.operator, c.change); ok {
			list = append(list, m)
		}
	}
	return list
}

// inTurn takes one of each list after the other, so that a measurement that is
// stopped early is of all operators.
func inTurn[T any](lists [][]T) []T {
	var all []T
	for i := 0; ; i++ {
		found := false
		for _, list := range lists {
			if i < len(list) {
				all, found = append(all, list[i]), true
			}
		}
		if !found {
			return all
		}
	}
}

// scripts are those of the project that any of the traces executed.
func scripts(traces []*trace.Trace) []string {
	set := map[string]bool{}
	for _, t := range traces {
		if t == nil {
			continue
		}
		for file := range t.Files {
			if !path.IsAbs(file) {
				set[file] = true
			}
		}
	}
	var list []string
	for f := range set {
		list = append(list, f)
	}
	slices.Sort(list)
	return list
}

func (b *bench) isHook(file string) bool {
	for _, c := range b.lab.cases {
		if c.Hook == file {
			return true
		}
	}
	return false
}

func (l *lab) source(file string, seed uint64) (*source, error) {
	text, err := os.ReadFile(filepath.Join(l.root, filepath.FromSlash(file)))
	if err != nil {
		return nil, err
	}
	return newSource(file, text, seed)
}

func (b *bench) document(file string) (*document, error) {
	text, err := os.ReadFile(filepath.Join(b.lab.root, filepath.FromSlash(file)))
	if err != nil {
		return nil, err
	}
	return newDocument(file, text)
}

func newSource(file string, text []byte, seed uint64) (*source, error) {
	tree, err := syntax.NewParser(syntax.KeepComments(true)).Parse(bytes.NewReader(text), file)
	if err != nil {
		return nil, err
	}
	script, err := trace.Parse(text)
	if err != nil {
		return nil, err
	}
	return &source{file: file, text: text, tree: tree, structure: script.Structure, random: rand.New(rand.NewPCG(seed, 0))}, nil
}

// mutant is the file with the change. One that cannot be parsed is none, nor
// one that changes nothing where it should, or something where it should not.
func (s *source) mutant(op string, c change) (mutant, bool) {
	content := s.apply(c)
	parsed, err := trace.Parse(content)
	if err != nil || bytes.Equal(content, s.text) || (parsed.Structure == s.structure) != cosmetic[op] {
		return mutant{}, false
	}
	return mutant{
		operator: op, file: s.file, what: c.what, original: s.text, content: content,
		line: 1 + bytes.Count(s.text[:c.from], []byte("\n")),
	}, true
}

func (s *source) apply(c change) []byte {
	return slices.Concat(s.text[:c.from], []byte(c.with), s.text[c.to:])
}

// lists calls do with each list of statements.
func (s *source) lists(do func(list []*syntax.Stmt)) {
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

func (s *source) at(n syntax.Node) string { return string(s.text[start(n):end(n)]) }

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
