package main

import (
	"math/rand/v2"

	"hookwatch/suites/mutate"
)

// Second makes edits of a script that was edited before. Cases that the first edit did not affect
// are selected by the traces that they had then.
type Second struct {
	Script mutate.Script
	Seed   uint64
}

// Mutant returns the script after a change and a random one after it.
func (s Second) Mutant(op string, c mutate.Change) (mutate.Mutant, bool) {
	first, ok := s.Script.Mutant(op, c)
	if !ok {
		return mutate.Mutant{}, false
	}
	next, err := mutate.NewScript(s.Script.Path(), first.Content, s.Seed)
	if err != nil {
		return mutate.Mutant{}, false
	}
	var edits []mutate.Change
	for _, name := range Study {
		edits = append(edits, next.Changes(name)...)
	}
	random := rand.New(rand.NewPCG(uint64(len(first.Content)), s.Seed))
	for range edits {
		m, ok := next.Mutant(op, edits[random.IntN(len(edits))])
		if ok {
			m.First, m.What = first.Original, m.What+" after "+first.What
			return m, true
		}
	}
	return mutate.Mutant{}, false
}
