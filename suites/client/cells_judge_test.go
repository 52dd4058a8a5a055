package client

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
)

// TestJudge checks that observable differences from the prediction are reported, and others are
// not.
func TestJudge(t *testing.T) {
	t.Parallel()
	all := Cells()
	for name, test := range map[string]struct {
		id      string
		version Version
		seen    Observation
		changed string
	}{
		"denied as predicted":     {"PreToolUse/exit-2-+-stderr", V330, Observation{Effect: suites.Denied, Texts: []string{"PreToolUse:Bash hook error: [x]: my-error"}}, ""},
		"let pass":                {"PreToolUse/exit-2-+-stderr", V330, Observation{Effect: suites.Proceeds}, "something else"},
		"denied in other words":   {"PreToolUse/exit-2-+-stderr", V330, Observation{Effect: suites.Denied, Texts: []string{"no: my-error"}}, "not sent: PreToolUse:Bash hook error"},
		"an unexpected text":      {"PreToolUse/exit-0-plain-text", V330, Observation{Effect: suites.Denied, Texts: []string{"my-text"}}, "something else; it was sent: my-text"},
		"ignored is to go on":     {"PreToolUse/exit-0-plain-text", V330, Observation{Effect: suites.Proceeds}, ""},
		"a text and no effect":    {"PreToolUse/exit-0-plain-text", V330, Observation{Effect: suites.Proceeds, Texts: []string{"my-text"}}, "something else"},
		"more than the reason":    {"PreToolUse/exit-2-+-valid-JSON-block", V330, Observation{Effect: suites.Denied, Texts: []string{"PreToolUse:Bash hook error: my-reason my-error"}}, "was sent my-error"},
		"another version's words": {"PreToolUse/decision-block-+-reason", V197, Observation{Effect: suites.Denied, Texts: []string{"my-reason"}}, ""},
		"the user was asked":      {"PreToolUse/permissionDecision-ask", V330, Observation{Effect: suites.Asked}, ""},
		"the user is not asked":   {"PreModelSwitch/PreModelSwitch-ask", V330, Observation{Effect: suites.Denied, Texts: []string{"my-reason"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := slices.IndexFunc(all, func(c Cell) bool { return c.ID() == test.id })
			if at < 0 {
				t.Fatalf("there is no %s", test.id)
			}
			o := test.seen
			o.Command, o.Matched, o.Answered = "x", all[at].Output.Matched, true
			got := all[at].Judge(test.version, o)
			if (test.changed == "") != (got.Changed == "") || !strings.Contains(got.Changed, test.changed) {
				t.Errorf("%+v, want %q", got, test.changed)
			}
			if o.Answered = false; all[at].Judge(test.version, o).Changed == "" {
				t.Error("a hook that did not answer confirms nothing")
			}
		})
	}
	at := slices.IndexFunc(all, func(c Cell) bool { return c.Event == "preToolUse" })
	if j := all[at].Judge(V330, Observation{}); j.Changed != "" {
		t.Errorf("an event that there is not: %+v", j)
	}
	if j := all[at].Judge(V330, Observation{Answered: true}); j.Changed == "" {
		t.Error("its hook ran")
	}
}
