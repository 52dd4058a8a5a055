package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/discover"
)

// TestWhat checks that a difference counts only if it is the same in both runs of each side.
func TestWhat(t *testing.T) {
	t.Parallel()
	does := func(e suites.Effect, sees, output string) Seen {
		return Seen{Fired: true, Effect: e, Sees: sees, Output: output}
	}
	allowed := Seen{Effect: suites.Rewritten, decision: "allow", Rewrite: `{"command":"x"}`}
	for _, tt := range []struct {
		name                  string
		base, again, head, h2 Seen
		want                  string
	}{
		{"allowed", does(suites.Denied, "a", ""), does(suites.Denied, "a", ""), does(suites.Proceeds, "", ""), does(suites.Proceeds, "", ""), NewlyAllowed},
		{"asks instead", does(suites.Denied, "a", ""), does(suites.Denied, "a", ""), does(suites.Asked, "", ""), does(suites.Asked, "", ""), NewlyAllowed},
		{"skips the question", does(suites.Proceeds, "", ""), does(suites.Proceeds, "", ""), does(suites.Allowed, "", ""), does(suites.Allowed, "", ""), NewlyAllowed},
		{"asks the question again", does(suites.Allowed, "", ""), does(suites.Allowed, "", ""), does(suites.Proceeds, "", ""), does(suites.Proceeds, "", ""), Effect},
		{"no longer fired", does(suites.ShownToModel, "a", ""), does(suites.ShownToModel, "a", ""), unfired, unfired, NewlyAllowed},
		{"blocked", unfired, unfired, does(suites.PromptBlocked, "", ""), does(suites.PromptBlocked, "", ""), NewlyBlocked},
		{"by chance", does(suites.Denied, "", ""), does(suites.Proceeds, "", ""), does(suites.Proceeds, "", ""), does(suites.Proceeds, "", ""), ""},
		{"message", does(suites.Denied, "limit 5", ""), does(suites.Denied, "limit 5", ""), does(suites.Denied, "limit 6", ""), does(suites.Denied, "limit 6", ""), Message},
		{"a time", does(suites.Denied, "at 12:01", ""), does(suites.Denied, "at 12:02", ""), does(suites.Denied, "at 12:03", ""), does(suites.Denied, "at 12:03", ""), ""},
		{"a message with a time", does(suites.Denied, "no at 12:01", ""), does(suites.Denied, "no at 12:02", ""), does(suites.Denied, "never at 12:03", ""), does(suites.Denied, "never at 12:04", ""), Message},
		{"a longer message with a time", does(suites.Denied, "at 12:01", ""), does(suites.Denied, "at 12:02", ""), does(suites.Denied, "no at 12:03", ""), does(suites.Denied, "no at 12:04", ""), Message},
		{"a name", does(suites.Denied, "in /tmp/x.aB3", ""), does(suites.Denied, "in /tmp/x.q1Z", ""), does(suites.Denied, "in /tmp/x.7uT", ""), does(suites.Denied, "in /tmp/x.mmm", ""), ""},
		{"a rewrite", allowed, allowed, Seen{Effect: suites.Rewritten, decision: "allow", Rewrite: `{"command":"y"}`}, Seen{Effect: suites.Rewritten, decision: "allow", Rewrite: `{"command":"y"}`}, Rewrite},
		{"effect", does(suites.Proceeds, "", "exit 0"), does(suites.Proceeds, "", "exit 0"), does(suites.Ignored, "", "exit 1"), does(suites.Ignored, "", "exit 1"), Effect},
		{"output", does(suites.Proceeds, "", "a"), does(suites.Proceeds, "", "a"), does(suites.Proceeds, "", "b"), does(suites.Proceeds, "", "b"), Output},
		{"nothing", does(suites.Proceeds, "", "a"), does(suites.Proceeds, "", "a"), does(suites.Proceeds, "", "a"), does(suites.Proceeds, "", "a"), ""},
	} {
		if got := what([4]Seen{tt.base, tt.again, tt.head, tt.h2}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestRelated checks which calls are made of those that a hook stops.
func TestRelated(t *testing.T) {
	t.Parallel()
	h := discover.Hook{ID: "guard", Event: "PreToolUse", Matcher: "Bash", Type: "command", Command: "./guard.sh"}
	var calls []*Call
	for _, command := range []string{"git push", "ls", "npm i"} {
		calls = append(calls, &Call{Input: command, c: check.Input{Tool: "Bash", Command: command}.Case(h)})
	}
	did := []Seen{{Effect: suites.Denied}, {Effect: suites.Proceeds}, {Effect: suites.Denied}}
	sent := map[string]bool{}
	for _, c := range related(pair{&h, &h}, calls, [2][]Seen{did, did}) {
		sent[c.Input] = true
	}
	for _, want := range []string{"echo 'git push'", "git push # x", "npm i &", "cat <<'EOF'\ngit push\nEOF", "git push && npm i", "cd /srv/projects/example/packages/frontend/src && npm i"} {
		if !sent[want] {
			t.Errorf("%q is not among %v", want, slices.Sorted(maps.Keys(sent)))
		}
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(sent)), func(text string) bool { return strings.HasPrefix(text, `g\it`) || strings.HasPrefix(text, "'git'") }) {
		t.Errorf("none with quotes: %v", slices.Sorted(maps.Keys(sent)))
	}
	if sent["ls &"] {
		t.Error("a call that is let through has related ones")
	}
}

// TestAlone checks that a call for which something is arranged has a case of its own, with the hooks fired before it.
func TestAlone(t *testing.T) {
	t.Parallel()
	h := discover.Hook{ID: "guard", Event: "PreToolUse", Matcher: "Bash", Type: "command", Command: "./guard.sh"}
	call := func(alone bool) *Call {
		c := &Call{Input: "ls", c: check.Input{Tool: "Bash", Command: "ls"}.Case(h), alone: alone}
		if alone {
			before := c.c.Steps[0]
			before.Registered = "other"
			c.c.Steps, c.step = []suites.Step{before, c.c.Steps[0]}, 1
		}
		return c
	}
	calls := []*Call{call(false), call(true), call(true), call(false), call(false)}
	_, _, cases := (&Side{seen: map[string]Seen{}}).batches(&h, calls, false)
	if got, want := fmt.Sprint(cases), "[[0] [1] [2] [3 4]]"; got != want {
		t.Errorf("cases %s, want %s", got, want)
	}
	if c := asCase(&h, calls, cases[1]); len(c.Steps) != 2 || c.Steps[0].Registered != "other" || c.Steps[1].Registered != "" {
		t.Errorf("%+v", c.Steps)
	}
	if c := asCase(every, calls, cases[1]); len(c.Steps) != 2 || c.Steps[0].Registered != "" {
		t.Errorf("of all hooks: %+v", c.Steps)
	}
	if other := call(true); calls[1].identity() == calls[0].identity() || calls[1].identity() != other.identity() {
		t.Error("what is arranged does not count in the identity of a call")
	}
}

// TestDifferences checks which files differ between two states, of which one may be the work tree.
func TestDifferences(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		base, head         map[string]string
		differing, listing []string
	}{
		"nothing":                      {nil, nil, nil, nil},
		"changed since the base":       {map[string]string{"d/there": "old"}, nil, []string{"d/there"}, nil},
		"changed in the head":          {nil, map[string]string{"d/there": "old"}, []string{"d/there"}, nil},
		"added since the base":         {map[string]string{"d/there": gone}, nil, []string{"d/there"}, []string{"d"}},
		"removed since the base":       {map[string]string{"d/no": "old"}, nil, []string{"d/no"}, []string{"d"}},
		"the same in both":             {map[string]string{"d/there": "x"}, map[string]string{"d/there": "x"}, nil, nil},
		"in neither":                   {map[string]string{"d/there": gone}, map[string]string{"d/there": gone}, nil, nil},
		"removed from base to head":    {map[string]string{"d/there": "x"}, map[string]string{"d/there": gone}, []string{"d/there"}, []string{"d"}},
		"removed, and not known there": {map[string]string{"d/no": gone}, nil, nil, nil},
	} {
		differing, listing := differences([2]map[string]string{tt.base, tt.head}, func(name string) bool { return name == "d/there" })
		maps.DeleteFunc(differing, func(_ string, is bool) bool { return !is })
		if got := slices.Sorted(maps.Keys(differing)); !slices.Equal(got, tt.differing) {
			t.Errorf("%s: %v differ, want %v", name, got, tt.differing)
		}
		if got := slices.Sorted(maps.Keys(listing)); !slices.Equal(got, tt.listing) {
			t.Errorf("%s: %v list others, want %v", name, got, tt.listing)
		}
	}
}
