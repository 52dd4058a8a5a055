package mutate

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// An Identity names a mutant as long as the function that it is in is the same. It has no line
// numbers, and does not depend on other functions.
type Identity struct {
	File     string `json:"file" yaml:"file"`
	Function string `json:"function,omitempty" yaml:"function,omitempty"` // "" at top level
	Operator string `json:"operator" yaml:"operator"`
	Change   string `json:"change" yaml:"change"`
	Nth      int    `json:"nth,omitempty" yaml:"nth,omitempty"` // of those that would be equal; 0 for the first
}

func (id Identity) String() string {
	text := fmt.Sprintf("%s %s %s: %s", id.File, cmp.Or(id.Function, "(top level)"), id.Operator, id.Change)
	if id.Nth > 0 {
		text += fmt.Sprintf(" (%d)", id.Nth)
	}
	return text
}

// order is the place of the identity in a sample. It depends only on the seed, so that an edit
// elsewhere does not draw another sample.
func (id Identity) order(seed uint64) uint64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, seed)
	h.Write([]byte(id.String()))
	x := h.Sum64() // fnv alone would keep texts with a common end together
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// A Subject is a mutant with its identity.
type Subject struct {
	Mutant
	ID Identity
}

// subjects returns all mutants of a script by an operator.
func subjects(s Script, operator string) []Subject {
	edits := s.Changes(operator)
	slices.SortStableFunc(edits, func(a, b Change) int { return a.From - b.From })
	seen := map[Identity]int{}
	var list []Subject
	for _, edit := range edits {
		m, ok := s.Mutant(operator, edit)
		if !ok {
			continue
		}
		id := Identity{File: s.Path(), Function: s.Function(edit.From), Operator: operator, Change: edit.What}
		seen[id]++
		if n := seen[id]; n > 1 {
			id.Nth = n
		}
		list = append(list, Subject{m, id})
	}
	return list
}

// All returns the mutants of a script, a list for each of the operators. A text that two of them
// make counts for the first.
func All(s Script, operators []string) [][]Subject {
	made := map[string]bool{}
	var all [][]Subject
	for _, op := range operators {
		all = append(all, unmade(subjects(s, op), made))
	}
	return all
}

// unmade returns the mutants whose text is not among those already made, and adds theirs.
func unmade(list []Subject, made map[string]bool) []Subject {
	return slices.DeleteFunc(list, func(m Subject) bool {
		text := string(m.Content)
		was := made[text]
		made[text] = true
		return was
	})
}

// Sample returns at most so many of each list, in an order by the seed, one of each list after the
// other, so that the first ones are of all lists; 0 means all.
func Sample(lists [][]Subject, seed uint64, most int) []Subject {
	drawn := make([][]Subject, len(lists))
	for i, list := range lists {
		drawn[i] = sampled(list, seed, most)
	}
	return InTurn(drawn)
}

func sampled(all []Subject, seed uint64, most int) []Subject {
	list := slices.Clone(all)
	slices.SortFunc(list, func(a, b Subject) int {
		return cmp.Or(cmp.Compare(a.ID.order(seed), b.ID.order(seed)), strings.Compare(a.ID.String(), b.ID.String()))
	})
	if most > 0 && len(list) > most {
		list = list[:most]
	}
	return list
}

// InTurn returns one element of each list after the other.
func InTurn[T any](lists [][]T) []T {
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
