package decide

import (
	"strings"
	"testing"

	"hookwatch/suites"
)

// TestLack checks the Lack of failed checks and absent tools, and its consequence for the run.
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
		r := run()
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
		want             Action
	}{
		{"", false, true, Proceed}, {"", true, false, Proceed}, {"x", true, true, Warn}, {"x", false, true, Wait}, {"x", false, false, Abort},
	} {
		if got := (Lack{Why: tt.why}).Action(tt.report, tt.underway); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	for _, why := range []string{"x", "preflight: x"} {
		if got := (Lack{Why: why}).Warning(); got != "preflight: x" {
			t.Errorf("%q is told as %q", why, got)
		}
	}
}
