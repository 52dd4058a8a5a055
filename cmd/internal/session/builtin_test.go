package session

import (
	"fmt"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/catalog"
)

// TestWanted checks that the named suites are complete, and that the controls of their
// cases are included from any suite.
func TestWanted(t *testing.T) {
	t.Parallel()
	all, err := catalog.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"":           "",
		"stop":       "stop:74",
		"dep":        "dep:29",
		"dep ml pm":  "dep:29 ml:42 ml-more:2 pm:32 pm-more:2",
		"pm-more pm": "pm:32 pm-more:87",
	} {
		var got []string
		picked := pickSuites(all, strings.Fields(in))
		for _, s := range picked {
			got = append(got, fmt.Sprintf("%s:%d", s.Name, len(s.Cases)))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", in, strings.Join(got, " "), want)
		}
		if problems := catalog.Check(picked); len(problems) > 0 {
			t.Errorf("%s: %v", in, problems)
		}
	}
	if whole := pickSuites(all, suites.BuiltinNames()); len(whole) != len(all) {
		t.Errorf("%d suites, want all %d", len(whole), len(all))
	}
}
