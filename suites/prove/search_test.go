package prove

import (
	"slices"
	"testing"

	"hookwatch/suites/conform"
)

// TestRounds checks that an input which is known to be bypassed by habit waits for the others, and has
// its turn in the end.
func TestRounds(t *testing.T) {
	t.Parallel()
	known := &seed{Input: conform.Input{Command: "known"}, queue: make([]candidate, 40), combined: true}
	open := &seed{Input: conform.Input{Command: "open"}, queue: make([]candidate, 100), combined: true}
	s := &search{Machine: &Machine{Jobs: 1}, seeds: []*seed{known, open}}
	var left [][2]int
	for n, more := 0, true; more; n++ {
		_, more = s.round(n)
		known.passing = []Finding{{What: Bypass, Kind: Habit}}
		left = append(left, [2]int{len(known.queue), len(open.queue)})
	}
	if want := [][2]int{{32, 92}, {32, 76}, {32, 52}, {32, 28}, {32, 4}, {16, 0}, {0, 0}}; !slices.Equal(left, want) {
		t.Errorf("left after each round: %v, want %v", left, want)
	}
}
