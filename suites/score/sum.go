package score

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/mutate"
)

// A Sum counts the findings of a file, of an operator, or all of them.
type Sum struct {
	Mutants    int `json:"mutants"` // that were tried
	Killed     int `json:"killed"`
	TimedOut   int `json:"timed_out"`  // of those killed
	Survived   int `json:"survived"`   // without the equivalent ones
	Unexecuted int `json:"unexecuted"` // of those that survived
	Equivalent int `json:"equivalent"` // known to be; they do not count
}

// Percent returns the share of the mutants that were killed, in percent of those that count.
func (t Sum) Percent() float64 {
	return 100 * float64(t.Killed) / float64(max(t.Mutants-t.Equivalent, 1))
}

// Sum counts some of the findings.
func (r *Result) Sum(of func(f *Finding) bool) (t Sum) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if !of(f) {
			continue
		}
		t.Mutants++
		switch {
		case f.IsKilled():
			t.Killed++
			if f.Hung {
				t.TimedOut++
			}
		case f.Note.Equivalent != "":
			t.Equivalent++
		default:
			t.Survived++
			if f.Gap == Unexecuted {
				t.Unexecuted++
			}
		}
	}
	return t
}

// Survivors returns the findings that no case killed, by file and line, without those that are known
// to be equivalent.
func (r *Result) Survivors() (list []*Finding) {
	for i := range r.Findings {
		if f := &r.Findings[i]; f.hasSurvived() {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column, strings.Compare(a.ID.String(), b.ID.String()))
	})
	return list
}

// Wrong returns the notes that the findings contradict: mutants that are called equivalent and were
// killed, and notes for mutants that do not exist.
func (r *Result) Wrong() (list []string) {
	for i := range r.Findings {
		if f := &r.Findings[i]; f.IsKilled() && f.Note != (Note{}) {
			list = append(list, fmt.Sprintf("%s is %s, but %s notices it", f.ID, f.Note, f.Killer))
		}
	}
	for _, id := range r.Stale {
		list = append(list, fmt.Sprintf("%s: there is no such mutant", id))
	}
	return list
}

// Of returns a filter of the findings of a file, or of an operator.
func Of(file, operator string) func(f *Finding) bool {
	return func(f *Finding) bool {
		return (file == "" || f.File == file) && (operator == "" || f.Operator == operator)
	}
}

// Operators returns the operators of the findings, in their order.
func (r *Result) Operators() (list []string) {
	for _, op := range mutate.Operators {
		if slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Operator == op }) {
			list = append(list, op)
		}
	}
	return list
}

// Suite returns a suite with a case for each survivor, without cases that would do the same.
func (r *Result) Suite(name string) suites.Suite {
	s := suites.Suite{Name: name}
	for _, f := range r.Survivors() {
		if f.Case == nil || slices.ContainsFunc(s.Cases, func(c suites.Case) bool { return c.Hook == f.Case.Hook && reflect.DeepEqual(c.Steps, f.Case.Steps) }) {
			continue
		}
		c := *f.Case
		c.Suite, c.ID = name, fmt.Sprintf("SC%03d", len(s.Cases)+1)
		c.Name = "survivor_" + strings.ToLower(c.ID)
		s.Cases = append(s.Cases, c)
	}
	return s
}

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
		case slices.Contains([]string{n.File, n.Operator, n.Change}, ""):
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
