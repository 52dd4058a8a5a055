package session

import (
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

var (
	control = &suites.Case{Suite: "s", ID: "B1"}
	proves  = &suites.Case{Suite: "s", ID: "A1", Control: "B1"}
)

func aRun() *currentRun { return newRun("r", true, time.Time{}) }

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
		r := aRun()
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
	r, k := aRun(), control.Key()
	for range 2 * verdict.MaxTries {
		if got := r.Next(k, true, false, true); got != verdict.Again {
			t.Fatalf("superseded: %v", got)
		}
	}
	for n := range verdict.MaxTries {
		if got := r.Next(k, false, true, true); got != verdict.Again {
			t.Fatalf("disturbed for the %d. time: %v", n+1, got)
		}
	}
	if got := r.Next(k, false, true, true); got != verdict.Conclude {
		t.Errorf("disturbed once more: %v", got)
	}
	if got := r.Next(proves.Key(), true, false, false); got != verdict.Drop {
		t.Errorf("gone: %v", got)
	}
}

// TestRunRecords checks that planning a case again removes its verdict, and that dropped cases
// are not part of the run.
func TestRunRecords(t *testing.T) {
	t.Parallel()
	r := aRun()
	order := func(k suites.Key) int { return int(k.ID[0]) }
	for _, c := range []*suites.Case{control, proves} {
		r.Plan(c.Key())
		r.Add(suites.Record{Suite: c.Suite, ID: c.ID})
	}
	equal(t, "records", []suites.Record{{Suite: proves.Suite, ID: "A1"}, {Suite: control.Suite, ID: "B1"}}, r.Records(order))
	equal(t, "planned and done", []int{2, 2}, []int{r.Of(), r.Done()})
	r.Plan(proves.Key())
	if r.Of() != 2 || r.Done() != 1 {
		t.Errorf("planned again: %d of %d", r.Done(), r.Of())
	}
	r.Drop(control.Key())
	equal(t, "planned after the other was dropped", []suites.Key{proves.Key()}, r.PlannedKeys([]*suites.Case{control, proves}))
	if r.Done() != 0 {
		t.Errorf("%d done", r.Done())
	}
}

// TestLack checks the lack of failed checks and absent tools, and its consequence for the run.
func TestLack(t *testing.T) {
	t.Parallel()
	check := func(id, tool string) *suites.Case {
		return &suites.Case{Suite: "dep", ID: id, Check: &suites.Check{Tool: tool}}
	}
	checks := []*suites.Case{check("D1", "jq"), check("D2", "uv"), check("D3", "sh")}
	failed := func(note string) suites.Verdict { return suites.Verdict{Status: suites.Fail, Note: note} }
	there, absent := suites.Tool{Name: "git", Path: "/bin/git", Digest: "1"}, suites.Tool{Name: "ruff"}
	for _, tt := range []struct {
		name         string
		own          map[string]suites.Verdict
		found        []suites.Tool
		why, missing string
	}{
		{"nothing", map[string]suites.Verdict{"D1": {Status: suites.Pass}}, []suites.Tool{there}, "", ""},
		{"a tool", nil, []suites.Tool{there, absent}, "preflight: required and absent: ruff", "ruff"},
		{"a check", map[string]suites.Verdict{"D1": suites.NewVerdict(suites.Fail, suites.ToolAbsent, "jq"), "D3": {Status: suites.Skip}}, nil, "D1 jq absent", "jq"},
		{"another failure of one", map[string]suites.Verdict{"D2": failed("too old")}, nil, "D2 too old", ""},
		{"all", map[string]suites.Verdict{"D1": suites.NewVerdict(suites.Fail, suites.ToolAbsent, "jq"), "D2": failed("too old")}, []suites.Tool{absent},
			"D1 jq absent, D2 too old, preflight: required and absent: ruff", "jq ruff"},
	} {
		r := aRun()
		for id, v := range tt.own {
			r.Judge(suites.Key{Suite: "dep", ID: id}, v)
		}
		if l := r.Lack(checks, tt.found); l.Why != tt.why || strings.Join(l.Missing, " ") != tt.missing {
			t.Errorf("%s: %+v", tt.name, l)
		}
	}
}

func TestAction(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		why              string
		report, underway bool
		want             lackAction
	}{
		{"", false, true, lackProceed}, {"", true, false, lackProceed}, {"x", true, true, lackWarn}, {"x", false, true, lackWait}, {"x", false, false, lackAbort},
	} {
		if got := (lack{Why: tt.why}).Action(tt.report, tt.underway); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	for _, why := range []string{"x", "preflight: x"} {
		if got := (lack{Why: why}).Warning(); got != "preflight: x" {
			t.Errorf("%q is reported as %q", why, got)
		}
	}
}
