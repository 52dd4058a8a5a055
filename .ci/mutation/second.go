package main

import (
	"slices"

	"hookwatch/suites/depend/trace"
)

// second makes edits of a script that was edited before: the cases that the first
// edit did not affect are judged by the traces that they had then.
type second struct{ source *source }

func (s second) mutant(op string, c change) (mutant, bool) {
	first, ok := s.source.mutant(op, c)
	if !ok {
		return mutant{}, false
	}
	next, err := newSource(s.source.file, first.content, uint64(len(first.content)))
	if err != nil {
		return mutant{}, false
	}
	var edits []change
	for _, name := range study {
		edits = append(edits, operators[name](next)...)
	}
	for range edits {
		m, ok := next.mutant(op, edits[next.random.IntN(len(edits))])
		if ok {
			m.first, m.what = first.original, m.what+" after "+first.what
			return m, true
		}
	}
	return mutant{}, false
}

// first applies the edit before the one that is measured. What it selects would
// be run and traced again, and is left out.
func (b *bench) first(c *comparison) error {
	if err := write(c.path, c.original); err != nil {
		return err
	}
	b.rule.know(c.first, c.original)
	c.skip, c.traces = slices.Clone(c.skip), make([]*trace.Trace, len(b.traces))
	for i, choice := range b.rule.choose(c.standing, b.traces, c.file) {
		c.skip[i] = c.skip[i] || choice.selected
		c.traces[i] = choice.trace
	}
	c.standing = b.rule.now(c.file)
	return nil
}
