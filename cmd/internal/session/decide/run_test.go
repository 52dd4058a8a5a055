package decide

import (
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/plan"
)

var (
	control = &suites.Case{Suite: "s", ID: "B1"}
	proves  = &suites.Case{Suite: "s", ID: "A1", Control: "B1"}
)

func run() *Run { return NewRun("r", true, time.Time{}) }

// TestProven checks that a pass waits for its control and depends on the control's verdict.
func TestProven(t *testing.T) {
	t.Parallel()
	pass, fail := suites.Verdict{Status: suites.Pass}, suites.Verdict{Status: suites.Fail, Note: "exit 0, want 2"}
	for _, tt := range []struct {
		name         string
		c            *suites.Case
		own          suites.Verdict
		control      *suites.Verdict // its own verdict, or nil
		pending, cut bool
		want         suites.Status // "": not yet
	}{
		{"no control", control, pass, nil, false, false, suites.Pass},
		{"failed by itself", proves, fail, nil, true, false, suites.Fail},
		{"the control passed", proves, pass, &pass, false, false, suites.Pass},
		{"the control failed", proves, pass, &fail, false, false, suites.Unproven},
		{"the control is to come", proves, pass, nil, true, false, ""},
		{"the control runs again", proves, pass, &pass, true, false, ""},
		{"the control was not run", proves, pass, nil, false, false, suites.Unproven},
		{"the run ends without it", proves, pass, nil, false, true, ""},
	} {
		r := run()
		r.Cut = tt.cut
		if tt.control != nil {
			r.Judge(control.Key(), *tt.control)
		}
		v, ok := r.Proven(tt.c, tt.own, func(suites.Key) bool { return tt.pending })
		if ok != (tt.want != "") || v.Status != tt.want {
			t.Errorf("%s: %q %v, want %q", tt.name, v.Status, ok, tt.want)
		}
	}
}

// TestNext checks that a case whose files change while it runs is run again a few times, and a
// superseded one every time.
func TestNext(t *testing.T) {
	t.Parallel()
	r, k := run(), control.Key()
	for range 2 * plan.MaxTries {
		if got := r.Next(k, true, false, true); got != plan.Again {
			t.Fatalf("superseded: %v", got)
		}
	}
	for n := range plan.MaxTries {
		if got := r.Next(k, false, true, true); got != plan.Again {
			t.Fatalf("disturbed for the %d. time: %v", n+1, got)
		}
	}
	if got := r.Next(k, false, true, true); got != plan.Conclude {
		t.Errorf("disturbed once more: %v", got)
	}
	if got := r.Next(proves.Key(), true, false, false); got != plan.Drop {
		t.Errorf("gone: %v", got)
	}
}

// TestRunRecords checks that planning a case again removes its verdict, and that dropped cases
// are not part of the run.
func TestRunRecords(t *testing.T) {
	t.Parallel()
	r := run()
	order := func(k suites.Key) int { return int(k.ID[0]) }
	for _, c := range []*suites.Case{control, proves} {
		r.Plan(c.Key())
		r.Add(suites.Record{Suite: c.Suite, ID: c.ID})
	}
	if got := r.Records(order); len(got) != 2 || got[0].ID != "A1" || r.Of() != 2 || r.Done() != 2 {
		t.Errorf("records %v, %d of %d", got, r.Done(), r.Of())
	}
	r.Plan(proves.Key())
	if r.Of() != 2 || r.Done() != 1 {
		t.Errorf("planned anew: %d of %d", r.Done(), r.Of())
	}
	r.Drop(control.Key())
	if keys := r.Planned([]*suites.Case{control, proves}); len(keys) != 1 || keys[0] != proves.Key() || r.Done() != 0 {
		t.Errorf("dropped: %v, %d done", keys, r.Done())
	}
}
