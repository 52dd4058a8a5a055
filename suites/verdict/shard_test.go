package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
)

func TestShard(t *testing.T) {
	t.Parallel()
	var cases []*suites.Case
	for id, control := range map[string]string{"A": "", "B": "A", "C": "B", "D": "", "E": "", "F": ""} {
		cases = append(cases, &suites.Case{Suite: "s", ID: id, Control: control, Steps: []suites.Step{{}}})
	}
	took := map[string]int64{"A": 10, "B": 10, "C": 10, "D": 25, "E": 20, "F": 5}
	shards := func(cases []*suites.Case, n int) map[string]int {
		in := map[string]int{}
		for i := 1; i <= n; i++ {
			for _, c := range Shard(cases, i, n, func(k suites.Key) int64 { return took[k.ID] }) {
				if in[c.ID] != 0 {
					t.Errorf("%s is in two shards", c.ID)
				}
				in[c.ID] = i
			}
		}
		return in
	}
	for n, want := range map[int]map[string]int{
		1: {"A": 1, "B": 1, "C": 1, "D": 1, "E": 1, "F": 1},
		2: {"A": 1, "B": 1, "C": 1, "D": 2, "E": 2, "F": 1}, // 35 and 45 ms
		3: {"A": 1, "B": 1, "C": 1, "D": 2, "E": 3, "F": 3}, // 30, 25 and 25 ms
	} {
		if d := cmp.Diff(want, shards(cases, n)); d != "" { // the order of the cases, here that of a map, does not matter
			t.Errorf("%d shards (-want +got):\n%s", n, d)
		}
	}
}
