package check

import (
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
)

// TestJudgeWhole checks which decisions of a hook are reported because something else of the call decides.
func TestJudgeWhole(t *testing.T) {
	t.Parallel()
	const rule = "permissions.deny has Bash(git push:*) (.claude/settings.json:1:1)"
	part := func(id string, effect suites.Effect) Part {
		return Part{Hook: discover.Hook{ID: id}, Result: suites.Result{Effect: effect}}
	}
	for _, tt := range []struct {
		name  string
		of    string // the client of the call
		alone suites.Effect
		parts []Part
		all   suites.Result
		want  string // rules and severities
	}{
		{"an ask under a deny rule", "", suites.Asked, nil, suites.Result{Effect: suites.Denied, By: []string{rule}}, "warning overruled"},
		{"an ask under a hook that denies", "", suites.Asked, nil, suites.Result{Effect: suites.Denied, By: []string{"b"}}, "warning overruled"},
		{"an allow under an ask rule", "", suites.Allowed, nil, suites.Result{Effect: suites.Asked, By: []string{rule}}, "info overruled"},
		{"an ask that is asked", "", suites.Asked, nil, suites.Result{Effect: suites.Asked, By: []string{"a"}}, ""},
		{"an ask under an ask rule", "", suites.Asked, nil, suites.Result{Effect: suites.Asked, By: []string{rule}}, ""},
		{"a denial", "", suites.Denied, nil, suites.Result{Effect: suites.Denied, By: []string{"a"}}, ""},
		{"an allow that counts", "", suites.Allowed, nil, suites.Result{Effect: suites.Allowed, By: []string{"a"}}, ""},
		{"two rewrites", "", suites.Rewritten, []Part{part("a", suites.Rewritten), part("b", suites.Rewritten)}, suites.Result{Effect: suites.Rewritten}, "warning input-race"},
		{"one rewrite", "", suites.Rewritten, []Part{part("a", suites.Rewritten), part("b", suites.Proceeds)}, suites.Result{Effect: suites.Rewritten}, ""},
		{"a denial of one client", "codex", suites.Denied, nil, suites.Result{Effect: suites.Proceeds}, "warning one-client"},
		{"a denial of both", "codex", suites.Denied, nil, suites.Result{Effect: suites.Denied}, ""},
	} {
		c := Whole{Client: tt.of, Event: "PreToolUse", Tool: "Bash", of: &Report{Hook: discover.Hook{ID: "a"}},
			fired: fired{firing: firing{event: "PreToolUse", tool: "Bash", command: "git push"}, Result: suites.Result{Effect: tt.alone}}}
		var got []string
		for _, f := range c.Judge(tt.parts, tt.all) {
			got = append(got, string(f.Severity)+" "+f.Rule)
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestSlowCall checks that only the budget makes a call slow, and 0 is none.
func TestSlowCall(t *testing.T) {
	t.Parallel()
	parts := []Part{{Hook: discover.Hook{ID: "quick"}}, {Hook: discover.Hook{ID: "slow"}, Result: suites.Result{Duration: time.Second}}}
	l := Latency{Event: "PreToolUse", Tool: "Bash", Hooks: 2, Runs: 5, P50MS: 1001, P95MS: 2000}
	for budget, want := range map[time.Duration]int{time.Second: 1, 1001 * time.Millisecond: 0, 0: 0} {
		found := l.Slow(parts, budget)
		if len(found) != want {
			t.Errorf("%s: %+v", budget, found)
		}
		for _, f := range found {
			if f.Rule != "slow-call" || f.Severity != suites.Info || f.Hooks[0] != "slow" || !strings.HasPrefix(f.What, "PreToolUse Bash: ") {
				t.Errorf("%+v", f)
			}
		}
	}
}

// TestWholeCalls checks which calls are fired whole: harmless ones for their latency, and those about which
// hooks come to decisions, if something else may decide about them.
func TestWholeCalls(t *testing.T) {
	t.Parallel()
	hook := func(id, matcher string) discover.Hook {
		return discover.Hook{ID: id, Event: "PreToolUse", Matcher: matcher, Type: "command", Command: id, Scope: discover.InProject}
	}
	decided := []fired{{firing: firing{event: "PreToolUse", tool: "Bash", command: "git push"}, Result: suites.Result{Effect: suites.Denied}}}
	alone := discover.Registered{Hooks: []discover.Hook{hook("a", "Bash")}}
	both := discover.Registered{Hooks: []discover.Hook{hook("a", "Bash"), hook("b", "Bash")}}
	codex, _ := clients.ByName("codex")
	for _, tt := range []struct {
		name string
		tree Tree
		want []string
	}{
		{"one hook", Tree{Registered: alone}, []string{" Bash 5"}},
		{"two hooks", Tree{Registered: both}, []string{" Bash 5", " Bash 1"}},
		{"another client", Tree{Registered: alone, Clients: []clients.Client{codex}}, []string{" Bash 5", "codex Bash 1"}},
	} {
		var got []string
		for _, c := range tt.tree.Calls([]Report{{Hook: tt.tree.Registered.Hooks[0], decisions: decided}}) {
			got = append(got, c.Client+" "+c.Tool+" "+string(rune('0'+c.Times)))
			if !c.Case.Chain || c.Case.Registered != "" || c.Case.Client != c.Client {
				t.Errorf("%s: %+v", tt.name, c.Case)
			}
		}
		if strings.Join(got, ",") != strings.Join(tt.want, ",") {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
