package human

import (
	"slices"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
)

// A save is one of some files, and the block that tells of it.
type save struct {
	notify.Changed
	before suites.State // how things stood
	rows   int          // of the block
	prints int          // of the screen, with the block's own
}

// and is the save with more of it.
func (s save) and(e notify.Changed) save {
	s.State = e.State
	s.Changes = merged(s.Changes, e.Changes, func(c notify.Change) string { return c.Path }, func(a, b notify.Change) notify.Change {
		b.Sections = union(a.Sections, b.Sections)
		return b
	})
	s.Selected = merged(s.Selected, e.Selected, keyOf, bothReasons)
	s.NotAffected = merged(s.NotAffected, e.NotAffected, keyOf, bothReasons)
	selected := make(map[suites.Key]bool, len(s.Selected))
	for _, sel := range s.Selected {
		selected[sel.Key] = true
	}
	s.NotAffected = slices.DeleteFunc(s.NotAffected, func(n notify.Selection) bool { return selected[n.Key] })
	s.Uncovered = union(s.Uncovered, e.Uncovered)
	return s
}

func keyOf(s notify.Selection) suites.Key { return s.Key }

func bothReasons(a, b notify.Selection) notify.Selection {
	b.Because = union(a.Because, b.Because)
	return b
}

func union(a, b []string) []string {
	same := func(s string) string { return s }
	return merged(a, b, same, func(s, _ string) string { return s })
}

// merged has every element of both once, and of two with the same key what both makes
// of them.
func merged[E any, K comparable](first, second []E, key func(E) K, both func(E, E) E) []E {
	out := slices.Clone(first)
	at := make(map[K]int, len(first))
	for i, x := range first {
		at[key(x)] = i
	}
	for _, x := range second {
		k := key(x)
		if i, ok := at[k]; ok {
			out[i] = both(out[i], x)
			continue
		}
		at[k] = len(out)
		out = append(out, x)
	}
	return out
}
