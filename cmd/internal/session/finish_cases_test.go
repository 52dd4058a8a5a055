package session

import (
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// TestFinishedCases checks that a verdict is retracted while the watcher may still report its files,
// and that a hook that causes this itself is accepted after verdict.MaxTries.
func TestFinishedCases(t *testing.T) {
	t.Parallel()
	k, at := suites.Key{Suite: "s", ID: "A"}, time.Date(2026, 2, 20, 16, 49, 32, 0, time.UTC)
	e := make(finishedCases)
	wrong := func(is bool) func(CaseInputs) bool { return func(CaseInputs) bool { return is } }
	for _, tt := range []struct {
		name  string
		later time.Duration
		wrong bool
		want  bool
	}{
		{"its files reported", 0, false, false}, {"too late", 2 * noticed, true, false}, {"in time", noticed, true, true},
	} {
		e.End(k, at, CaseInputs{})
		if e.retract(at.Add(tt.later), wrong(tt.wrong)); e.IsRetracted(k) != tt.want {
			t.Errorf("%s: retracted %v, want %v", tt.name, e.IsRetracted(k), tt.want)
		}
	}
	for n := 1; n < 2*verdict.MaxTries; n++ { // it was retracted once above
		e.End(k, at, CaseInputs{})
		if e.retract(at, wrong(true)); e.IsRetracted(k) != (n < verdict.MaxTries) {
			t.Errorf("after %d times in a row: retracted %v", n+1, e.IsRetracted(k))
		}
		if !e.IsRetracted(k) {
			break
		}
	}
	e.rest(at.Add(2 * noticed))
	e.End(k, at, CaseInputs{})
	e.retract(at, wrong(true))
	e.rest(at.Add(2 * noticed))
	if !e.IsRetracted(k) {
		t.Error("a retracted verdict is forgotten while its case exists")
	}
	if e.ForgetGone(func(suites.Key) bool { return true }); len(e) > 0 {
		t.Errorf("kept for removed cases: %v", e)
	}
}
