package conform

import (
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

// TestDropped checks that a dropped decision is an error, and any other dropped output a warning;
// there is no finding if nothing is dropped.
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
		{"PostToolUse", `{"status":"formatted"}`, suites.Warning}, // it asks nothing of the client
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

// TestQuoted checks that output whose text the model sees is not reported as dropped.
func TestQuoted(t *testing.T) {
	t.Parallel()
	const stdout = `{"hookSpecificOutput":{"hookEventName":"PreCompact","additionalContext":"keep this"}}`
	read := client.Interpret(client.Default, "PreCompact", client.Output{Stdout: []byte(stdout)})
	q := &Inquiry{hook: discover.Hook{Event: "PreCompact"}}
	q.dropped(firing{event: "PreCompact"}, nil, suites.Result{Stdout: []byte(stdout), Effect: read.Effect, EffectReason: read.Because(), EffectRule: string(read.Cause.Kind)})
	if len(q.findings) != 1 || strings.Contains(q.findings[0].What+q.findings[0].Effect, "drop") || !strings.Contains(q.findings[0].What, "shows the model its text") {
		t.Errorf("%+v", q.findings)
	}
}
