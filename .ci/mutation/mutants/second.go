package mutants

import "math/rand/v2"

// Second makes edits of a script that was edited before: the cases that the first
// edit did not affect are judged by the traces that they had then.
type Second struct {
	Script Script
	Seed   uint64
}

// Mutant makes one by a change and another one after it.
func (s Second) Mutant(op string, c Change) (Mutant, bool) {
	first, ok := s.Script.Mutant(op, c)
	if !ok {
		return Mutant{}, false
	}
	next, err := NewScript(s.Script.Path(), first.Content, s.Seed)
	if err != nil {
		return Mutant{}, false
	}
	var edits []Change
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
	return Mutant{}, false
}
