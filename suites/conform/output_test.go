package conform

import (
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

// TestDropped: an output that the client does not heed is an error; a warning where the
// model is shown its text all the same; nothing where the client heeds it.
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
		{"UserPromptSubmit", `{"hookSpecificOutput":{"additionalContext":"keep this"}}`, suites.Error},
		{"UserPromptSubmit", specific("UserPromptSubmit"), ""},
		{"PostToolUse", `{"permissionDecision":"deny"}`, suites.Error},
		{"PostToolUse", `{"status":"formatted"}`, suites.Warning}, // it asks the client for nothing
		{"PostToolUse", `{"async":true}`, ""},
	} {
		read := client.Interpret(client.Default, test.event, client.Output{Stdout: []byte(test.stdout)})
		q := &Inquiry{hook: discover.Hook{Event: test.event}}
		q.dropped(firing{event: test.event}, suites.Result{Stdout: []byte(test.stdout), Effect: read.Effect, EffectReason: read.Because(), EffectRule: string(read.Cause.Kind)}, suites.Error)
		var got suites.Severity
		for _, f := range q.findings {
			got = f.Severity
		}
		if got != test.want {
			t.Errorf("%s of %s: severity %q, want %q: %s", test.stdout, test.event, got, test.want, read.Because())
		}
	}
}
