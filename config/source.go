package config

import (
	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/yamlform"
)

// A source is what one of file, variables and flags says, by the keys' paths.
type source struct {
	yamlform.Reader // its File is what the next problem is attributed to

	values map[string]any
	nodes  map[string]*yaml.Node // where the values stand
	gates  map[string]GatePolicy
	denies []suites.Deny
}

func newSource(file string) *source {
	return &source{
		Reader: yamlform.Reader{File: file, Bounds: bounds},
		values: map[string]any{}, nodes: map[string]*yaml.Node{},
	}
}

// has reports whether the source sets a key.
func (s *source) has(path string) bool { return s.nodes[path] != nil }

// What a source may hold: more is a mistake, or made to be a burden. A file of
// nothing but problems can have a million.
var bounds = yamlform.Bounds{Problems: 101, Rest: true, Text: 4096, Shown: shownText} // a path can be as long as a text

const (
	shownText = 80 // bytes of a value in a message
	mostItems = 1000
)

// add notes a problem and gives nil, the value of what is wrong.
func (s *source) add(n *yaml.Node, what, hint string) any {
	s.Add(n, what, hint)
	return nil
}

// wrong notes that a value is not what its key wants, and gives nil.
func (s *source) wrong(n *yaml.Node, name, want, hint string) any {
	s.Wrong(n, name, want, hint)
	return nil
}
