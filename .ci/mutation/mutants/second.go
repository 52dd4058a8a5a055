package mutants

// Second makes edits of a script that was edited before: the cases that the first
// edit did not affect are judged by the traces that they had then.
type Second struct{ Source *Source }

// Mutant makes one by a change and another one after it.
func (s Second) Mutant(op string, c Change) (Mutant, bool) {
	first, ok := s.Source.Mutant(op, c)
	if !ok {
		return Mutant{}, false
	}
	next, err := NewSource(s.Source.File, first.Content, uint64(len(first.Content)))
	if err != nil {
		return Mutant{}, false
	}
	var edits []Change
	for _, name := range Study {
		edits = append(edits, Operators[name](next)...)
	}
	for range edits {
		m, ok := next.Mutant(op, edits[next.random.IntN(len(edits))])
		if ok {
			m.First, m.What = first.Original, m.What+" after "+first.What
			return m, true
		}
	}
	return Mutant{}, false
}
