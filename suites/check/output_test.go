package check

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
		q := &judgement{of: subject{hook: discover.Hook{Event: test.event}}}
		q.judgeDropped(firing{event: test.event}, nil, suites.Result{Stdout: []byte(test.stdout), Effect: read.Effect, EffectReason: read.Because(), EffectRule: string(read.Cause.Kind)})
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
	q := &judgement{of: subject{hook: discover.Hook{Event: "PreCompact"}}}
	q.judgeDropped(firing{event: "PreCompact"}, nil, suites.Result{Stdout: []byte(stdout), Effect: read.Effect, EffectReason: read.Because(), EffectRule: string(read.Cause.Kind)})
	if len(q.findings) != 1 || strings.Contains(q.findings[0].What+q.findings[0].Effect, "drop") || !strings.Contains(q.findings[0].What, "shows the model its text") {
		t.Errorf("%+v", q.findings)
	}
}

// of returns the result of a hook with the client's reading of it.
func of(event string, exit int, stdout, stderr string) suites.Result {
	r := client.Interpret(client.Default, event, client.Output{Exit: exit, Stdout: []byte(stdout), Stderr: []byte(stderr)})
	return suites.Result{Exit: exit, Stdout: []byte(stdout), Stderr: []byte(stderr), Effect: r.Effect, EffectRule: string(r.Cause.Kind)}
}

// TestLossOf checks that the result for an input that guards stop is compared with that for a
// harmless one, and that the words of messages do not matter.
func TestLossOf(t *testing.T) {
	t.Parallel()
	const pre, post = "PreToolUse", "PostToolUse"
	for name, tt := range map[string]struct {
		event          string
		harmless, then suites.Result
		rule           client.Kind // "" for no loss
		severity       suites.Severity
	}{
		"exit 1 for that input alone":          {pre, of(pre, 0, "", ""), of(pre, 1, "", "xyz"), client.ExitCode, suites.Error},
		"the same with text on stdout":         {pre, of(pre, 0, "", ""), of(pre, 1, "xyz", ""), client.ExitCode, suites.Error},
		"exit 1 without a word":                {pre, of(pre, 0, "", ""), of(pre, 1, "", ""), client.ExitCode, suites.Warning},
		"exit 1 for every input, text for one": {pre, of(pre, 1, "", ""), of(pre, 1, "", "xyz"), client.ExitCode, suites.Error},
		"exit 1 for every input":               {pre, of(pre, 1, "", "xyz"), of(pre, 1, "", "xyz"), client.ExitCode, suites.Warning},
		"exit 1 after an edit":                 {post, of(post, 0, "", ""), of(post, 1, "", "xyz"), client.ExitCode, suites.Warning},
		"exit 1 where no code decides":         {"SessionEnd", of("SessionEnd", 0, "", ""), of("SessionEnd", 1, "", "xyz"), client.ExitCode, suites.Info},
		"exit 2":                               {pre, of(pre, 0, "", ""), of(pre, 2, "", "xyz"), "", ""},
		"a word on stderr alone":               {pre, of(pre, 0, "", ""), of(pre, 0, "", "xyz"), client.StderrDropped, suites.Warning},
		"a log on stderr for every input":      {pre, of(pre, 0, "", "log"), of(pre, 0, "", "log"), "", ""},
		"text on stdout for that input":        {pre, of(pre, 0, "", ""), of(pre, 0, "xyz", ""), client.TextDropped, suites.Warning},
		"a deny with text before it":           {pre, of(pre, 0, "", ""), of(pre, 0, "log\n{\"decision\":\"block\"}", ""), client.TextDropped, suites.Error},
		"an approval of a stop":                {"Stop", of("Stop", 0, `{"decision":"approve"}`, ""), of("Stop", 0, `{"decision":"approve"}`, ""), client.NoEffect, suites.Info},
		"a log at the end of a turn":           {"Stop", of("Stop", 0, "log", ""), of("Stop", 0, "log", ""), client.TextDropped, suites.Info},
		"nothing":                              {pre, of(pre, 0, "", ""), of(pre, 0, "", ""), "", ""},
		"a deny that the client takes":         {pre, of(pre, 0, "", ""), of(pre, 0, `{"decision":"block","reason":"r"}`, ""), "", ""},
		"no path of a new worktree":            {"WorktreeCreate", of("WorktreeCreate", 0, "", ""), of("WorktreeCreate", 0, "", ""), client.WorktreeNoPath, suites.Error},
		"a new worktree whose creation fails":  {"WorktreeCreate", of("WorktreeCreate", 0, "/a/b", ""), of("WorktreeCreate", 0, "/a/b", ""), "", ""},
	} {
		got, ok := LossOf(tt.event, &tt.harmless, tt.then)
		if ok != (tt.rule != "") || ok && (got.Kind != tt.rule || got.Severity != tt.severity) {
			t.Errorf("%s: %v, %+v; want %s, %s", name, ok, got, tt.rule, tt.severity)
		}
	}
}

// TestSilentFailure checks that a hook which fails and prints nothing is advised to block only if it fails on an input
// that guards stop.
func TestSilentFailure(t *testing.T) {
	t.Parallel()
	passes := of("UserPromptSubmit", 0, "", "")
	for _, tt := range []struct {
		harmless *suites.Result
		then     suites.Result
		remedy   string
	}{
		{nil, of("UserPromptSubmit", 1, "", ""), "Exit 0 if there is nothing to report."},
		{nil, of("UserPromptSubmit", 1, "", "not now"), "Exit 2 to block."},
		{&passes, of("UserPromptSubmit", 1, "", ""), "Exit 2 to block."},
	} {
		j := &judgement{of: subject{hook: discover.Hook{ID: "h", Event: "UserPromptSubmit"}}}
		j.judgeDropped(firing{event: "UserPromptSubmit"}, tt.harmless, tt.then)
		if len(j.findings) != 1 || !strings.HasPrefix(j.findings[0].Remedy, tt.remedy) {
			t.Errorf("%+v: %+v, want %s", tt.then, j.findings, tt.remedy)
		}
	}
}
