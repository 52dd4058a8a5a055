package session

import (
	"maps"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// TestOwn checks that a save reports the cases it affects and those that did not wait before.
func TestOwn(t *testing.T) {
	t.Parallel()
	selected := func(id, changed string) verdict.Selected {
		return verdict.Selected{Case: &suites.Case{Suite: "s", ID: id}, Changed: []suites.Input{{Path: changed}}}
	}
	waits := func(k suites.Key) bool { return k.ID != "new" }
	got := ""
	for _, s := range ownCases([]verdict.Selected{selected("new", "a.sh"), selected("other", "a.sh"), selected("both", "b.sh")}, []string{"b.sh"}, waits) {
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
	a := &atRest{rest: map[string]string{"a": "1"}, latest: map[string]string{"a": "", "b": "2"}}
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

// TestPast checks that a case in progress has priority over its record.
func TestPast(t *testing.T) {
	t.Parallel()
	d, other := suites.Digests{Case: "c", Inputs: "i", Tools: "t"}, suites.Digests{Case: "c", Inputs: "j", Tools: "t"}
	for _, tt := range []struct {
		name      string
		underway  *suites.Digests
		last      *keptVerdict
		retracted bool
		want      verdict.Past
	}{
		{"never seen", nil, nil, false, verdict.Past{}},
		{"on record", nil, &keptVerdict{Status: suites.Fail, Digests: d}, false, verdict.Past{Known: true, Digests: d}},
		{"under way", &other, &keptVerdict{Status: suites.Fail, Digests: d}, true, verdict.Past{Known: true, Digests: other}},
		{"aborted", nil, &keptVerdict{Status: suites.Aborted, Digests: d}, false, verdict.Past{}},
		{"of another tool", nil, &keptVerdict{Status: suites.Pass}, false, verdict.Past{}},
		{"taken back", nil, &keptVerdict{Status: suites.Pass, Digests: d}, true, verdict.Past{Known: true, Digests: suites.Digests{Case: "c", Tools: "t"}}},
	} {
		if got := pastDigests(tt.underway, tt.last, tt.retracted); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestShown checks that a reproduced failure is shown once, and that one that is not reproduced
// is flaky.
func TestShown(t *testing.T) {
	t.Parallel()
	failed := &keptVerdict{Status: suites.Fail}
	for _, tt := range []struct {
		quiet       bool
		previous    *keptVerdict
		now         suites.Status
		show, flaky bool
	}{
		{false, nil, suites.Fail, true, false}, {false, failed, suites.Pass, true, false},
		{true, failed, suites.Fail, false, false}, {true, nil, suites.Fail, false, false}, {true, failed, suites.Pass, true, true},
	} {
		if show, flaky := shownInRun(tt.quiet, tt.previous, tt.now); show != tt.show || flaky != tt.flaky {
			t.Errorf("%+v: shown %v, flaky %v", tt, show, flaky)
		}
	}
}

// TestLike checks that a traced run is accepted if it ended and printed as recorded.
func TestLike(t *testing.T) {
	t.Parallel()
	c := &suites.Case{Steps: make([]suites.Step, 1)}
	ran := suites.Outcome{Results: []suites.Result{{Stdout: []byte("one")}}}
	printed := printedBy(ran.Results[0])
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
		if got := sameResult(&keptVerdict{Status: tt.last, Printed: printed}, c, tt.o, suites.Verdict{Status: tt.now}); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
