package conform

import (
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

// TestDropped: a decision that the client drops is an error, anything else that it drops a
// warning; nothing is found where it drops nothing.
func TestDropped(t *testing.T) {
	t.Parallel()
	specific := func(event string) string {
		return `{"hookSpecificOutput":{"hookEventName":"` + event + `","additionalContext":"keep this"}}`
	}
	for _, test := range []struct {
		event, stdout string
		want          suites.Severity // "" for none
	}{
		{"PreCompact", specific("PreCompact"), suites.Warning},
		{"PreCompact", "keep this", ""},
		{"PreCompact", `{"systemMessage":"x"}`, ""},
		{"UserPromptSubmit", `{"hookSpecificOutput":{"additionalContext":"keep this"}}`, suites.Warning},
		{"UserPromptSubmit", `checking ... {"decision":"block","reason":"r"}`, suites.Error},
		{"UserPromptSubmit", `checking ... {"reason":"r"}`, ""}, // the model reads it
		{"UserPromptSubmit", specific("UserPromptSubmit"), ""},
		{"PostToolUse", `{"permissionDecision":"deny"}`, suites.Error},
		{"PostToolUse", `{"status":"formatted"}`, suites.Warning}, // it asks the client for nothing
		{"PostToolUse", `{"async":true}`, ""},
	} {
		read := client.Interpret(client.Default, test.event, client.Output{Stdout: []byte(test.stdout)})
		q := &Inquiry{hook: discover.Hook{Event: test.event}}
		q.dropped(firing{event: test.event}, nil, suites.Result{Stdout: []byte(test.stdout), Effect: read.Effect, EffectReason: read.Because(), EffectRule: string(read.Cause.Kind)})
		var got suites.Severity
		for _, f := range q.findings {
			got = f.Severity
		}
		if got != test.want {
			t.Errorf("%s of %s: severity %q, want %q: %s", test.stdout, test.event, got, test.want, read.Because())
		}
	}
}
