package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/cmd/mutation/mutants"
)

// An identity names a mutant for as long as the function that it is in says the
// same: no line numbers are in it, nor what stands in other functions.
type identity struct {
	File     string `json:"file" yaml:"file"`
	Function string `json:"function,omitempty" yaml:"function,omitempty"` // "" at top level
	Operator string `json:"operator" yaml:"operator"`
	Change   string `json:"change" yaml:"change"`
	Nth      int    `json:"nth,omitempty" yaml:"nth,omitempty"` // of those that would be equal; none for the first
}

func (id identity) String() string {
	text := fmt.Sprintf("%s %s %s: %s", id.File, cmp.Or(id.Function, "(top level)"), id.Operator, id.Change)
	if id.Nth > 0 {
		text += fmt.Sprintf(" (%d)", id.Nth)
	}
	return text
}

// order is the identity's place in a sample. It depends on nothing else than the
// seed, so that an edit elsewhere does not draw another sample.
func (id identity) order(seed uint64) uint64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, seed)
	h.Write([]byte(id.String()))
	x := h.Sum64() // fnv alone would keep texts with a common end together
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// A subject is a mutant that the suites are to notice.
type subject struct {
	mutants.Mutant
	id identity
}

func (s subject) String() string {
	return fmt.Sprintf("%s:%d %s: %s", s.File, s.Line, cmp.Or(s.id.Function, "(top level)"), s.What)
}

// subjects are all mutants that an operator makes of a script.
func subjects(s *mutants.Source, operator string) []subject {
	edits := mutants.Operators[operator](s)
	slices.SortStableFunc(edits, func(a, b mutants.Change) int { return a.From - b.From })
	functions := s.Functions()
	seen := map[identity]int{}
	var list []subject
	for _, edit := range edits {
		m, ok := s.Mutant(operator, edit)
		if !ok {
			continue
		}
		id := identity{File: s.File, Function: functions.At(edit.From), Operator: operator, Change: edit.What}
		seen[id]++
		if n := seen[id]; n > 1 {
			id.Nth = n
		}
		list = append(list, subject{m, id})
	}
	return list
}

// unmade leaves out mutants whose text was made before, and notes the others'.
func unmade(list []subject, made map[string]bool) []subject {
	return slices.DeleteFunc(list, func(m subject) bool {
		text := string(m.Content)
		was := made[text]
		made[text] = true
		return was
	})
}

// sampled are as many of the subjects as are wanted, by the seed; 0 wants all.
func sampled(all []subject, seed uint64, want int) []subject {
	list := slices.Clone(all)
	slices.SortFunc(list, func(a, b subject) int {
		return cmp.Or(cmp.Compare(a.id.order(seed), b.id.order(seed)), strings.Compare(a.id.String(), b.id.String()))
	})
	if want > 0 && len(list) > want {
		list = list[:want]
	}
	return list
}

// yaml is the head of an entry for the file of survivors.
func (id identity) yaml() string {
	text, err := yaml.Dump([]identity{id})
	if err != nil {
		return err.Error() + "\n"
	}
	return string(text)
}
