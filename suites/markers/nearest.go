package markers

import (
	"sort"
	"strings"
)

// nearest says which names come close to the one that was wanted, for a
// message: "; nearest: a, b".
func nearest(want string, names []string) string {
	type scored struct {
		name  string
		score int
	}
	var all []scored
	seen := map[string]bool{}
	for _, n := range names {
		if !seen[n] {
			seen[n] = true
			if s := likeness(want, n); s > 0 {
				all = append(all, scored{n, s})
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].score > all[j].score })
	if len(all) == 0 {
		return ""
	}
	var best []string
	for _, s := range all[:min(3, len(all))] {
		best = append(best, quote(s.name))
	}
	return "; nearest: " + strings.Join(best, ", ")
}

// likeness scores two names from 0 to 100 by the pairs of neighbouring letters
// that they share. Below a third it is no likeness.
func likeness(a, b string) int {
	pairs := map[string]int{}
	count := func(s string, step int) (total, shared int) {
		s = strings.Join(words(s), " ")
		for i := 0; i+2 <= len(s); i++ {
			total++
			if step < 0 && pairs[s[i:i+2]] > 0 {
				shared++
			}
			pairs[s[i:i+2]] += step
		}
		return total, shared
	}
	inA, _ := count(shorten(a, 80), 1)
	inB, shared := count(shorten(b, 80), -1)
	if inA+inB == 0 || 6*shared < inA+inB {
		return 0
	}
	return 200 * shared / (inA + inB)
}

// names are what can be looked up by name in a file, for messages.
func (o *outline) names() []string {
	var names []string
	for _, e := range o.entries {
		if e.rule != ByComment {
			names = append(names, e.name)
		}
	}
	return names
}
