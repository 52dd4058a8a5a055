package decide

import (
	"maps"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/plan"
)

// TestOwn checks that a save reports the cases it affects and those that did not wait before.
func TestOwn(t *testing.T) {
	t.Parallel()
	selected := func(id, changed string) plan.Selected {
		return plan.Selected{Case: &suites.Case{Suite: "s", ID: id}, Changed: []suites.Input{{Path: changed}}}
	}
	waits := func(k suites.Key) bool { return k.ID != "new" }
	got := ""
	for _, s := range Own([]plan.Selected{selected("new", "a.sh"), selected("other", "a.sh"), selected("both", "b.sh")}, []string{"b.sh"}, waits) {
		got += s.Case.ID + " "
	}
	if got != "new both " {
		t.Errorf("its own are %s", got)
	}
}

// TestAtRest checks that missing files are forgotten, and that a digest is compared with the one
// at rest.
func TestAtRest(t *testing.T) {
	t.Parallel()
	a := &AtRest{rest: map[string]string{"a": "1"}, latest: map[string]string{"a": "", "b": "2"}}
	a.Rest()
	if want := map[string]string{"b": "2"}; !maps.Equal(a.rest, want) || len(a.latest) > 0 {
		t.Errorf("at rest %v, latest %v, want %v", a.rest, a.latest, want)
	}
	for _, tt := range []struct {
		name, was, now string
		same           bool
	}{{"another content", "2", "3", false}, {"and back", "3", "2", true}, {"gone", "2", "", false}} {
		if got := a.Same("b", tt.was, tt.now); got != tt.same {
			t.Errorf("%s: same %v, want %v", tt.name, got, tt.same)
		}
	}
}
