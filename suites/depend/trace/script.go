package trace

import (
	"bytes"
	"errors"
	"fmt"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/shell"
)

// A Script is a bash file as blocks of statements.
type Script struct {
	Digest     string
	Structure  uint64 // equal for files that differ in comments and white space only
	Body       *Block
	Statements []*Statement // all of them, in the order of the text
	Functions  []*Function  // all definitions, in the order of the text
	Shebang    string       // the first line, when it names an interpreter
	Own        string       // why the file's own text or lines matter; "" when they do not
	Numbers    string       // why its line numbers matter; "" when they do not
	Odd        string       // why its blocks do not tell what runs; "" when they do
	ExtGlobs   bool         // has patterns that bash refuses to parse without extglob
}

// A Block is a list of statements that run one after the other.
type Block struct {
	Statements []*Statement
	Of         *Statement // that it is part of; nil for a file and a function
	Function   *Function  // whose body it is in; nil at top level
	After      *Block     // the condition that is evaluated before it is entered; nil when there is none
	Slot       string     // which part of the statement
	id         uint64
}

// A Statement is one element of a block: a whole list or pipeline with all
// that stands in its substitutions and here-documents.
type Statement struct {
	Key        Key
	Start, End int // first and last line, here-documents included
	Shell      uint64
	Full       uint64
	Blocks     []*Block
	In         *Block
	Index      int       // in its block
	Function   *Function // that it defines; nil for what runs
	Sure       bool      // whenever it is reached, an event tells so
	Facts      Facts
	node       syntax.Node
	signatures []signature
}

// Keys appends to keys those of a statement and of all that is in its blocks.
func (s *Statement) Keys(keys []Key) []Key {
	if s.Function != nil {
		return keys
	}
	keys = append(keys, s.Key)
	for _, b := range s.Blocks {
		for _, inner := range b.Statements {
			keys = inner.Keys(keys)
		}
	}
	return keys
}

// A Function is one definition.
type Function struct {
	Name       string
	Start, End int // lines
	Body       *Block
	Shape      uint64    // of what surrounds the statements of its body
	Outer      *Function // in which it is defined; nil when it is in none
}

// Parse reads a bash script. The error is the parser's, with line and column.
func Parse(src []byte) (*Script, error) {
	if bytes.IndexByte(src, 0) >= 0 {
		return nil, errors.New("it holds a NUL byte")
	}
	file, err := parseFile(src)
	if err != nil {
		return nil, err
	}
	s := &Script{Digest: Digest(src), Structure: structure(file), Shebang: shebangOf(src)}
	b := &builder{script: s, declared: map[string]int{}, hosts: map[syntax.Node]bool{}}
	s.Body = &Block{Slot: "file", id: mix(0, "file")}
	b.block(s.Body, file.Stmts)
	for _, st := range s.Statements {
		st.Facts = b.facts(st)
	}
	b.whole(file)
	return s, nil
}

// parseFile turns a panic of the parser into an error: a file that a person is
// still typing must not end a session.
func parseFile(src []byte) (file *syntax.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the parser gave up: %v", r)
		}
	}()
	return shell.Parse(string(src), syntax.Variant(syntax.LangBash))
}

func shebangOf(src []byte) string {
	line, _, _ := bytes.Cut(src, []byte("\n"))
	if !bytes.HasPrefix(line, []byte("#!")) {
		return ""
	}
	return string(line)
}
