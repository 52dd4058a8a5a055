package session

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/record"
)

// TestForgetDigests checks that after any number of runs a session keeps only the inputs and
// tools to which verdicts refer.
func TestForgetDigests(t *testing.T) {
	t.Parallel()
	p := newProjectFiles(t, map[string]string{"suites/s.yaml": oneCase("A", "expect: {exit: 0}")}).Load(Filter{})
	s := newKnowledge(p, nil, record.Place{})
	for n := range 1000 {
		s.judged(suites.Key{Suite: "s", ID: "A"}, n, "x")
	}
	s.Environment.CaseTools = map[string][]string{"tools 7": {"jq"}}
	s.judged(suites.Key{Suite: "s", ID: "A"}, 1000, "y")
	s.Forget()
	if got, want := slices.Sorted(maps.Keys(s.inputs)), []string{"inputs 1000", "inputs 999"}; !slices.Equal(got, want) {
		t.Errorf("inputs %v, want %v", got, want)
	}
	if got, want := slices.Sorted(maps.Keys(s.sets)), []string{"tools 1000", "tools 7", "tools 999"}; !slices.Equal(got, want) {
		t.Errorf("tools %v, want %v", got, want)
	}
}

// judged gives a case the verdict of the nth run, with its inputs and tools.
func (s *Knowledge) judged(k suites.Key, n int, definition string) {
	d := suites.Digests{Case: definition, Inputs: fmt.Sprint("inputs ", n), Tools: fmt.Sprint("tools ", n)}
	s.inputs[d.Inputs], s.sets[d.Tools] = []suites.Input{{}}, map[string]string{}
	s.Verdicts.Put(k, &keptVerdict{Status: suites.Pass, Digests: d})
}
