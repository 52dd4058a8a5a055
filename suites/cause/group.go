package cause

import (
	"cmp"
	"slices"

	"hookwatch/suites"
)

// A Group is failures of one cause, in the order in which they were given.
type Group struct {
	Cause
	Cases []Failure
}

// Groups puts failures together by their causes: what is wrong with a file first,
// then what many share, then in the order of the first of each.
func Groups(failed []Failure) []Group {
	var groups []Group
	at := map[Cause]int{}
	for _, f := range failed {
		c := Of(f)
		i, known := at[c]
		if !known {
			i = len(groups)
			at[c] = i
			groups = append(groups, Group{Cause: c})
		}
		groups[i].Cases = append(groups[i].Cases, f)
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return Compare(a.Kind, len(a.Cases), b.Kind, len(b.Cases))
	})
	return groups
}

// Compare orders two groups by their kinds, then by how many cases they have.
func Compare(a Kind, cases int, b Kind, others int) int {
	return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(others, cases))
}

// Failed picks the failures among records.
func Failed(all []suites.Record) []Failure {
	var failed []Failure
	for i := range all {
		if all[i].Status() == suites.Fail {
			failed = append(failed, Failure{Record: &all[i]})
		}
	}
	return failed
}

// Keys are the cases of the group.
func (g *Group) Keys() []suites.Key {
	keys := make([]suites.Key, len(g.Cases))
	for i, f := range g.Cases {
		keys[i] = f.Record.Key()
	}
	return keys
}
