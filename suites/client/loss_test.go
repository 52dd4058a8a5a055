package client

import (
	"testing"

	"hookwatch/suites"
)

// TestLossOf checks that the loss is the strongest effect that any part of the output has alone.
func TestLossOf(t *testing.T) {
	t.Parallel()
	deny := specific("PreToolUse", `"permissionDecision":"deny","permissionDecisionReason":"no"`)
	for _, test := range []struct {
		event, stdout string
		exit          int
		want          Lost
		severity      suites.Severity
	}{
		{"PreToolUse", "checking\n" + deny, 0, LostDecision, suites.Error},
		{"PreToolUse", deny + "\n{}", 0, LostDecision, suites.Error},
		{"PreToolUse", deny[:len(deny)-2], 0, LostDecision, suites.Error},
		{"PreToolUse", deny[:len(deny)-6], 0, LostDecision, suites.Error},
		{"PreToolUse", `{'decision': 'block', 'reason': 'no'}`, 0, LostDecision, suites.Error},
		{"PreToolUse", `{"permissionDecision":"deny"}`, 0, LostDecision, suites.Error},
		{"PreToolUse", specific("PreToolUse", `"permissionDecision":"denied"`), 0, LostDecision, suites.Error},
		{"PreToolUse", specific("PreToolUse", `"permisionDecision":"deny"`), 0, LostDecision, suites.Error},
		{"PreToolUse", specific("PostToolUse", `"updatedInput":{"command":"ls"}`), 0, LostDecision, suites.Error},
		{"PreToolUse", `log ` + specific("PreToolUse", `"permissionDecision":"allow"`), 0, LostAllow, suites.Warning},
		{"PostToolUse", `log ` + specific("PostToolUse", `"additionalContext":"a"`), 0, LostContext, suites.Warning},
		{"PostToolUse", "formatted", 0, LostText, suites.Warning},
		{"UserPromptSubmit", "remember this", 0, LostNothing, suites.Info},
		{"UserPromptSubmit", `log {"decision":"block"}`, 0, LostDecision, suites.Error},
		{"PreToolUse", deny, 0, LostNothing, suites.Info},
		{"PreToolUse", deny, 1, LostNothing, suites.Info}, // JSON counts at any exit code
		{"SessionStart", "", 2, LostDecision, suites.Error},
		{"PreToolUse", "", 0, LostNothing, suites.Info},
	} {
		kind := Interpret(Default, test.event, exits(test.exit, test.stdout, "")).Cause.Kind
		got := LostOf(kind, []byte(test.stdout))
		if got != test.want || kind.Severity(got) != test.severity {
			t.Errorf("%s at exit %d of %s: lost %d, %s by %s; want %d, %s", test.stdout, test.exit, test.event, got, kind.Severity(got), kind, test.want, test.severity)
		}
	}
}

// TestLosses checks that every rule that is an error loses an output or a decision, so that no rule
// is added without a decision on how check reports it.
func TestLosses(t *testing.T) {
	t.Parallel()
	// found in the registration of a hook, not in its result
	static := []Kind{NoEvent, EntryDropped}
	for _, table := range ruleTables[:len(ruleTables)-1] { // the last table is check's own
		for _, row := range table {
			if row.severity == suites.Error && row.loss == keeps && row.kind != static[0] && row.kind != static[1] {
				t.Errorf("%s is an error and loses nothing", row.kind)
			}
		}
	}
}

// TestDecidesAgainst checks that an output is a decision if it differs from that for a harmless
// call.
func TestDecidesAgainst(t *testing.T) {
	t.Parallel()
	input := map[string]any{"command": "git push --force origin main"}
	for _, tt := range []struct {
		harmless, then string
		want           bool
	}{
		{`{"proceed":true}`, `{"proceed":false,"message":"no"}`, true},
		{`{"proceed":true}`, `{"proceed":true,"message":"Blocked: dangerous"}`, false},
		{`{"proceed":false}`, `{"proceed":false}`, false},
		{``, `{"block": true}`, true},
		{``, `{"allowed": false}`, true},
		{``, `{"result":"block"}`, true},
		{`{"status":"ok"}`, `{"status":"BLOCKED"}`, true},
		{`{"status":"blocked"}`, `{"status":"blocked"}`, false},
		{``, `{"logged": true}`, false},
		{``, `{"tool_input":{"command":"echo 'BLOCKED by policy'"}}`, true},
		{`{"tool_input":{"command":"echo hello"}}`, `{"tool_input":{"command":"git push --force origin main"}}`, false},
		{``, `{"log":{"command":"git push"}}`, false},
		{``, `{"note":"it was blocked"}`, false},
		{``, `BLOCKED`, false},
	} {
		if got := DecidesAgainst([]byte(tt.harmless), []byte(tt.then), input); got != tt.want {
			t.Errorf("%s, then %s: %v, want %v", tt.harmless, tt.then, got, tt.want)
		}
	}
}
