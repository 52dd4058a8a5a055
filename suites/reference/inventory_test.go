package reference_test

import (
	"fmt"
	"slices"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/catalog"
)

// The inventory of ml is fixed: M01-M42, each once and gated by the tools that it needs, and a
// control for each case that passes without output.
func TestInventoryOfML(t *testing.T) {
	t.Parallel()
	all, err := catalog.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(s suites.Suite) bool { return s.Name == "ml" })
	if at < 0 || len(all[at].Cases) != 42 {
		t.Fatalf("suite ml is number %d and must have 42 cases", at)
	}
	for i, c := range all[at].Cases {
		if want := fmt.Sprintf("M%02d", i+1); c.ID != want {
			t.Errorf("case %d is %s, want %s", i+1, c.ID, want)
		}
		exit := c.Steps[0].Expect.Exit
		if slices.Equal(exit, []int{0}) && c.Control == "" {
			t.Errorf("%s expects exit 0 and names no control", c.ID)
		}
		if len(c.Gates) == 0 {
			t.Errorf("%s needs a tool and has no gate", c.ID)
		}
	}
}
