package trace

import (
	"bytes"
	"errors"
	"fmt"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/shell"
)

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
