package cli

import (
	"testing"

	"hookwatch/suites"
)

// TestWhatChanged checks that a difference counts only if it is the same in both runs of each side.
func TestWhatChanged(t *testing.T) {
	t.Parallel()
	does := func(e suites.Effect, sees, output string) seen {
		return seen{fired: true, effect: e, sees: sees, output: output}
	}
	allowed := seen{effect: suites.Rewritten, decision: "allow", rewrite: `{"command":"x"}`}
	for _, tt := range []struct {
		name                  string
		base, again, head, h2 seen
		want                  string
	}{
		{"allowed", does(suites.Denied, "a", ""), does(suites.Denied, "a", ""), does(suites.Proceeds, "", ""), does(suites.Proceeds, "", ""), newlyAllowed},
		{"asks instead", does(suites.Denied, "a", ""), does(suites.Denied, "a", ""), does(suites.Asked, "", ""), does(suites.Asked, "", ""), newlyAllowed},
		{"skips the question", does(suites.Proceeds, "", ""), does(suites.Proceeds, "", ""), does(suites.Allowed, "", ""), does(suites.Allowed, "", ""), newlyAllowed},
		{"no longer fired", does(suites.ShownToModel, "a", ""), does(suites.ShownToModel, "a", ""), unfired, unfired, newlyAllowed},
		{"blocked", unfired, unfired, does(suites.PromptBlocked, "", ""), does(suites.PromptBlocked, "", ""), newlyBlocked},
		{"by chance", does(suites.Denied, "", ""), does(suites.Proceeds, "", ""), does(suites.Proceeds, "", ""), does(suites.Proceeds, "", ""), ""},
		{"message", does(suites.Denied, "limit 5", ""), does(suites.Denied, "limit 5", ""), does(suites.Denied, "limit 6", ""), does(suites.Denied, "limit 6", ""), changedMessage},
		{"a time", does(suites.Denied, "at 12:01", ""), does(suites.Denied, "at 12:02", ""), does(suites.Denied, "at 12:03", ""), does(suites.Denied, "at 12:03", ""), ""},
		{"a message with a time", does(suites.Denied, "no at 12:01", ""), does(suites.Denied, "no at 12:02", ""), does(suites.Denied, "never at 12:03", ""), does(suites.Denied, "never at 12:04", ""), changedMessage},
		{"a longer message with a time", does(suites.Denied, "at 12:01", ""), does(suites.Denied, "at 12:02", ""), does(suites.Denied, "no at 12:03", ""), does(suites.Denied, "no at 12:04", ""), changedMessage},
		{"a name", does(suites.Denied, "in /tmp/x.aB3", ""), does(suites.Denied, "in /tmp/x.q1Z", ""), does(suites.Denied, "in /tmp/x.7uT", ""), does(suites.Denied, "in /tmp/x.mmm", ""), ""},
		{"a rewrite", allowed, allowed, seen{effect: suites.Rewritten, decision: "allow", rewrite: `{"command":"y"}`}, seen{effect: suites.Rewritten, decision: "allow", rewrite: `{"command":"y"}`}, changedRewrite},
		{"effect", does(suites.Proceeds, "", "exit 0"), does(suites.Proceeds, "", "exit 0"), does(suites.Ignored, "", "exit 1"), does(suites.Ignored, "", "exit 1"), changedEffect},
		{"output", does(suites.Proceeds, "", "a"), does(suites.Proceeds, "", "a"), does(suites.Proceeds, "", "b"), does(suites.Proceeds, "", "b"), changedOutput},
		{"nothing", does(suites.Proceeds, "", "a"), does(suites.Proceeds, "", "a"), does(suites.Proceeds, "", "a"), does(suites.Proceeds, "", "a"), ""},
	} {
		if got := whatChanged([2]seen{tt.base, tt.again}, [2]seen{tt.head, tt.h2}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
