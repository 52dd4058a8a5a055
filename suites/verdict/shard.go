package verdict

import (
	"cmp"
	"slices"

	"hookwatch/suites"
)

// Shard returns the cases of shard number i of n, counted from 1, in their order. Each case is in
// one shard, together with the cases that it is a control of. The sums of the times of the shards,
// which took estimates, are about equal. The same cases and times give the same shards.
func Shard(cases []*suites.Case, i, n int, took func(suites.Key) int64) []*suites.Case {
	parent := map[suites.Key]suites.Key{}
	var first func(k suites.Key) suites.Key
	first = func(k suites.Key) suites.Key {
		if to, ok := parent[k]; ok {
			return first(to)
		}
		return k
	}
	for _, c := range cases {
		if control, ok := ControlOf(c); ok && first(control) != first(c.Key()) {
			parent[first(c.Key())] = first(control)
		}
	}
	type group struct {
		key  suites.Key
		took int64
	}
	var groups []*group
	byKey := map[suites.Key]*group{}
	for _, c := range cases {
		k := first(c.Key())
		if byKey[k] == nil {
			byKey[k] = &group{key: k}
			groups = append(groups, byKey[k])
		}
		byKey[k].took += took(c.Key())
	}
	slices.SortFunc(groups, func(a, b *group) int { return cmp.Or(cmp.Compare(b.took, a.took), a.key.Compare(b.key)) })
	sums := make([]int64, n)
	in := map[suites.Key]int{}
	for _, g := range groups { // each to the shard that has least to do
		least := slices.Index(sums, slices.Min(sums))
		sums[least] += g.took
		in[g.key] = least + 1
	}
	return slices.DeleteFunc(slices.Clone(cases), func(c *suites.Case) bool { return in[first(c.Key())] != i })
}
