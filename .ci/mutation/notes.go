package main

import (
	"bytes"
	"fmt"
	"os"

	"go.yaml.in/yaml/v4"
)

// A note says of one mutant why no case notices it. Exactly one of the three is
// given.
type note struct {
	identity    `yaml:",inline"`
	Equivalent  string `yaml:"equivalent,omitempty"`  // why nothing can tell it from the original; it does not count
	Missing     string `yaml:"missing,omitempty"`     // the case that would notice
	Unreachable string `yaml:"unreachable,omitempty"` // why no case of layer 1 can be written
}

func (n note) String() string {
	switch {
	case n.Equivalent != "":
		return "equivalent: " + n.Equivalent
	case n.Missing != "":
		return "missing: " + n.Missing
	case n.Unreachable != "":
		return "unreachable: " + n.Unreachable
	default:
		return "nobody has looked at it yet"
	}
}

// notes are by mutant.
type notes map[identity]note

// readNotes reads a file of survivors; no name gives none.
func readNotes(name string) (notes, error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	n, err := parseNotes(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return n, nil
}

func parseNotes(data []byte) (notes, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return notes{}, nil
	}
	var list []note
	if err := yaml.Load(data, &list, yaml.WithKnownFields(true)); err != nil {
		return nil, err
	}
	found := make(notes, len(list))
	for i, n := range list {
		given := 0
		for _, why := range []string{n.Equivalent, n.Missing, n.Unreachable} {
			if why != "" {
				given++
			}
		}
		_, twice := found[n.identity]
		switch {
		case n.File == "" || n.Operator == "" || n.Change == "":
			return nil, fmt.Errorf("entry %d names no mutant: file, operator and change are needed", i+1)
		case given != 1:
			return nil, fmt.Errorf("%s: one of equivalent, missing and unreachable is needed", n.identity)
		case twice:
			return nil, fmt.Errorf("%s: a second entry for the same mutant", n.identity)
		}
		found[n.identity] = n
	}
	return found, nil
}
