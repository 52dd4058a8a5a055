package score

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites/mutate"
)

// A Note explains why no case notices a mutant. Exactly one of the three is set.
type Note struct {
	mutate.Identity `yaml:",inline"`
	Equivalent      string `yaml:"equivalent,omitempty"`  // why nothing can tell it from the original; it does not count
	Missing         string `yaml:"missing,omitempty"`     // the case that would notice
	Unreachable     string `yaml:"unreachable,omitempty"` // why no case can be written
}

func (n Note) String() string {
	switch {
	case n.Equivalent != "":
		return "equivalent: " + n.Equivalent
	case n.Missing != "":
		return "missing: " + n.Missing
	case n.Unreachable != "":
		return "unreachable: " + n.Unreachable
	default:
		return ""
	}
}

// Notes are by mutant.
type Notes map[mutate.Identity]Note

// ParseNotes reads a list of notes in YAML.
func ParseNotes(data []byte) (Notes, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return Notes{}, nil
	}
	var list []Note
	if err := yaml.Load(data, &list, yaml.WithKnownFields(true)); err != nil {
		return nil, err
	}
	found := make(Notes, len(list))
	for i, n := range list {
		given := 0
		for _, why := range []string{n.Equivalent, n.Missing, n.Unreachable} {
			if why != "" {
				given++
			}
		}
		_, twice := found[n.Identity]
		switch {
		case n.File == "" || n.Operator == "" || n.Change == "":
			return nil, fmt.Errorf("entry %d names no mutant: file, operator and change are needed", i+1)
		case given != 1:
			return nil, fmt.Errorf("%s: one of equivalent, missing and unreachable is needed", n.Identity)
		case twice:
			return nil, fmt.Errorf("%s: a second entry for the same mutant", n.Identity)
		}
		found[n.Identity] = n
	}
	return found, nil
}
