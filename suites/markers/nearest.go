package markers

import (
	"sort"
	"strconv"
	"strings"

	"hookwatch/suites/pattern"
)

// Nearest says which names come close to the one that was wanted, for a
// message: "; nearest: a, b", or "" where none does.
func Nearest(want string, names []string) string {
	type scored struct {
		name  string
		score int
	}
	var all []scored
	seen := map[string]bool{}
	for _, n := range names[:min(len(names), mostNames)] {
		if !seen[n] {
			seen[n] = true
			if s := max(likeness(want, n), numberLikeness(want, n)); s > 0 {
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

var numberedWord = pattern.Lazy(`^([A-Za-z]{1,8})(\d{1,4})\b`)

// numberLikeness scores names that begin with the same letters and another
// number, such as "D3" and "D4: Scope": the nearer, the higher.
func numberLikeness(a, b string) int {
	x, y := numberedWord().FindStringSubmatch(a), numberedWord().FindStringSubmatch(b)
	if x == nil || y == nil || !strings.EqualFold(x[1], y[1]) {
		return 0
	}
	n, _ := strconv.Atoi(x[2])
	m, _ := strconv.Atoi(y[2])
	return max(60-max(n-m, m-n)/2, 1)
}

// nearest names what a file has that comes close to a section: what has a name
// in it, else its comments. Of an identifier and words the identifier counts.
func (o *outline) nearest(section string) string {
	if first := strings.TrimRight(firstWord(section), "(),:"); isIdentifier(first) {
		section = first
	}
	var named, comments []string
	for _, e := range o.entries {
		if e.rule == ByComment {
			comments = append(comments, e.name)
		} else {
			named = append(named, e.name)
		}
	}
	if near := Nearest(section, named); near != "" {
		return near
	}
	return Nearest(section, comments)
}
