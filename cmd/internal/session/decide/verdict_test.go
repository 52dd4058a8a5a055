package decide

import (
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/plan"
)

// TestPast checks that a case in progress has priority over its record.
func TestPast(t *testing.T) {
	t.Parallel()
	d, other := suites.Digests{Case: "c", Inputs: "i", Tools: "t"}, suites.Digests{Case: "c", Inputs: "j", Tools: "t"}
	for _, tt := range []struct {
		name      string
		underway  *suites.Digests
		last      *Verdict
		retracted bool
		want      plan.Past
	}{
		{"never seen", nil, nil, false, plan.Past{}},
		{"on record", nil, &Verdict{Status: suites.Fail, Digests: d}, false, plan.Past{Known: true, Digests: d}},
		{"under way", &other, &Verdict{Status: suites.Fail, Digests: d}, true, plan.Past{Known: true, Digests: other}},
		{"aborted", nil, &Verdict{Status: suites.Aborted, Digests: d}, false, plan.Past{}},
		{"of another tool", nil, &Verdict{Status: suites.Pass}, false, plan.Past{}},
		{"taken back", nil, &Verdict{Status: suites.Pass, Digests: d}, true, plan.Past{Known: true, Digests: suites.Digests{Case: "c", Tools: "t"}}},
	} {
		if got := Past(tt.underway, tt.last, tt.retracted); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestShown checks that a reproduced failure is shown once, and that one that is not reproduced
// is flaky.
func TestShown(t *testing.T) {
	t.Parallel()
	failed := &Verdict{Status: suites.Fail}
	for _, tt := range []struct {
		quiet       bool
		previous    *Verdict
		now         suites.Status
		show, flaky bool
	}{
		{false, nil, suites.Fail, true, false}, {false, failed, suites.Pass, true, false},
		{true, failed, suites.Fail, false, false}, {true, nil, suites.Fail, false, false}, {true, failed, suites.Pass, true, true},
	} {
		if show, flaky := Shown(tt.quiet, tt.previous, tt.now); show != tt.show || flaky != tt.flaky {
			t.Errorf("%+v: shown %v, flaky %v", tt, show, flaky)
		}
	}
}

// TestLike checks that a traced run is accepted if it ended and printed as recorded.
func TestLike(t *testing.T) {
	t.Parallel()
	c := &suites.Case{Steps: make([]suites.Step, 1)}
	ran := suites.Outcome{Results: []suites.Result{{Stdout: []byte("one")}}}
	printed := PrintedBy(ran.Results[0])
	for _, tt := range []struct {
		name string
		last suites.Status
		now  suites.Status
		o    suites.Outcome
		want bool
	}{
		{"the same", suites.Pass, suites.Pass, ran, true},
		{"unproven is no other way of running", suites.Unproven, suites.Pass, ran, true},
		{"another verdict", suites.Pass, suites.Fail, ran, false},
		{"another text", suites.Pass, suites.Pass, suites.Outcome{Results: []suites.Result{{Stdout: []byte("two")}}}, false},
		{"nothing ran", suites.Pass, suites.Pass, suites.Outcome{}, false},
	} {
		if got := Like(&Verdict{Status: tt.last, Printed: printed}, c, tt.o, suites.Verdict{Status: tt.now}); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
