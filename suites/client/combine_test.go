package client

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
)

func TestCombine(t *testing.T) {
	t.Parallel()
	read := func(event string, outputs ...string) Reading {
		readings := make([]Reading, 0, len(outputs))
		for _, output := range outputs {
			readings = append(readings, Interpret(Default, event, out(output)))
		}
		return Combine(readings)
	}
	pre := func(fields string) string { return specific("PreToolUse", fields) }
	allow, ask := pre(`"permissionDecision":"allow"`), pre(`"permissionDecision":"ask","permissionDecisionReason":"ASK"`)
	deny, context := pre(`"permissionDecision":"deny","permissionDecisionReason":"DENY"`), pre(`"additionalContext":"CTX"`)
	rewrite := pre(`"updatedInput":{"command":"ls"}`)
	for _, test := range []struct {
		name, event string
		outputs     []string
		decision    string
		want        suites.Effect
		sees        []string
	}{
		{"none", "PreToolUse", nil, "none", suites.Proceeds, nil},
		{"deny before ask before allow", "PreToolUse", []string{allow, deny, ask}, "deny", suites.Denied, []string{"PreToolUse hook error: DENY"}},
		{"ask before allow", "PreToolUse", []string{allow, ask}, "ask", suites.Asked, []string{"ASK"}},
		{"allow", "PreToolUse", []string{"", allow, "noise"}, "allow", suites.Allowed, nil},
		{"context adds up", "PreToolUse", []string{context, deny, context}, "deny", suites.Denied, []string{"CTX", "PreToolUse hook error: DENY", "CTX"}},
		{"rewritten", "PreToolUse", []string{rewrite, rewrite}, "none", suites.Rewritten, nil},
		{"the last of several denials", "PreToolUse", []string{deny, context, strings.Replace(deny, "DENY", "LAST", 1)}, "deny", suites.Denied, []string{"CTX", "PreToolUse hook error: LAST"}},
		{"no input, and then a valid one", "PreToolUse", []string{pre(`"updatedInput":{}`), rewrite}, "none", suites.Rewritten, nil},
		{"a valid input, and then none", "PreToolUse", []string{rewrite, pre(`"updatedInput":{}`)}, "none", suites.Denied, nil},
		{"ask with no input", "PreToolUse", []string{pre(`"permissionDecision":"ask","updatedInput":{}`)}, "ask", suites.Denied, nil},
		{"ask with an input", "PreToolUse", []string{pre(`"permissionDecision":"ask","updatedInput":{"command":"ls"}`)}, "ask", suites.Asked, nil},
		{"asked, and then allowed with no input", "PreToolUse", []string{ask, pre(`"permissionDecision":"allow","updatedInput":{}`)}, "ask", suites.Asked, []string{"ASK"}},
		{"allowed with no input, and then asked", "PreToolUse", []string{pre(`"permissionDecision":"allow","updatedInput":{}`), ask}, "ask", suites.Denied, nil},
		{"denied, and then no input", "PreToolUse", []string{deny, pre(`"updatedInput":{}`)}, "deny", suites.Denied, []string{"PreToolUse hook error: DENY"}},
		{"asked, and then no input", "PreToolUse", []string{ask, pre(`"updatedInput":{}`)}, "ask", suites.Denied, nil},
		{"blocked prompt", "UserPromptSubmit", []string{"TEXT", blockJSON}, "block", suites.PromptBlocked, nil},
		{"shown with context", "PostToolUse", []string{blockJSON, specific("PostToolUse", `"additionalContext":"CTX"`)},
			"block", suites.ShownToModel, []string{`PostToolUse hook blocking error from command: "": RSN`, "CTX"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := read(test.event, test.outputs...)
			if got.Decision != test.decision || got.Effect != test.want || !slices.Equal(got.ModelSees, test.sees) {
				t.Errorf("got %+v, want %s, %s, %q", got, test.decision, test.want, test.sees)
			}
		})
	}
	if got := read("PreToolUse", rewrite, rewrite); !strings.Contains(got.Because(), "last to finish") {
		t.Errorf("reason %q does not tell of the race", got.Because())
	}
}

// TestBlockBesideOtherName checks that the name of another event does not keep a block from counting, at any exit code.
func TestBlockBesideOtherName(t *testing.T) {
	t.Parallel()
	for block, want := range map[string]suites.Effect{`"decision":"block","reason":"RSN",`: suites.Denied, `"reason":"RSN",`: suites.Ignored} {
		stdout := `{` + block + `"hookSpecificOutput":{"hookEventName":"Stop"}}`
		for _, code := range []int{0, 1} {
			if got := Interpret(Default, "PreToolUse", Output{Exit: code, Stdout: []byte(stdout)}); got.Effect != want {
				t.Errorf("exit %d, %s: %s, want %s", code, stdout, got.Effect, want)
			}
		}
	}
}

// TestInputTypes checks that a required key of a tool's input must be a text.
func TestInputTypes(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]suites.Effect{`{"command":"ls"}`: suites.Rewritten, `{"command":5}`: suites.Denied, `{"command":null}`: suites.Denied, `{"command":["ls"]}`: suites.Denied} {
		out := Output{Stdout: []byte(specific("PreToolUse", `"updatedInput":`+input)), Matched: "Bash"}
		if got := Interpret(Default, "PreToolUse", out); got.Effect != want {
			t.Errorf("%s: %s, want %s", input, got.Effect, want)
		}
	}
}

// TestFailureThatBlocks checks what the model is sent of a failure that onFailure lets block: no context, and of
// JSON that the client refuses its lines, with stderr.
func TestFailureThatBlocks(t *testing.T) {
	t.Parallel()
	const failed = `[g]: failed; blocking because onFailure is "block"`
	for _, tt := range []struct {
		event, stdout, stderr string
		exit                  int
		sees                  []string // beginnings
	}{
		{"PreToolUse", specific("PreToolUse", `"additionalContext":"CTX"`), "", 1, []string{"PreToolUse hook error: " + failed}},
		{"PreToolUse", `{"decision":"maybe"}`, "", 0, []string{"PreToolUse hook error: " + failed, "{", `"decision": "maybe"`, "}"}},
		{"PreToolUse", `{"decision":"maybe"}`, "ERR", 1, []string{"PreToolUse hook error: " + failed, "{", `"decision": "maybe"`, "}", "ERR"}},
		{"SessionStart", specific("SessionStart", `"additionalContext":"CTX"`), "", 1, nil},
		{"SubagentStart", specific("SubagentStart", `"additionalContext":"CTX"`), "", 0, []string{"CTX"}},
		{"Stop", specific("Stop", `"additionalContext":"CTX"`), "", 1, []string{"CTX"}},
	} {
		got := Interpret(Default, tt.event, Output{Exit: tt.exit, Stdout: []byte(tt.stdout), Stderr: []byte(tt.stderr), Entry: Entry{Command: "g", OnFailure: "block"}})
		if !slices.EqualFunc(got.ModelSees, tt.sees, strings.Contains) {
			t.Errorf("%s, exit %d, %s: the model sees %q, want %q", tt.event, tt.exit, tt.stdout, got.ModelSees, tt.sees)
		}
	}
}

// TestUnder checks what counts of a hook's decision and a permission rule about the same call.
func TestUnder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		effect suites.Effect
		kind   Kind
		denies bool
		want   suites.Effect
	}{
		{suites.Denied, Exit2, false, suites.Denied},
		{suites.SessionEnds, Deferred, true, suites.SessionEnds},
		{suites.SessionEnds, HaltWithDeny, true, suites.SessionEnds},
		{suites.SessionEnds, HaltAfterTool, true, suites.Denied},
		{suites.SessionEnds, HaltAfterTool, false, suites.Asked},
		{suites.Allowed, Allowed, true, suites.Denied},
		{suites.Allowed, Allowed, false, suites.Asked},
		{suites.Asked, Asked, true, suites.Denied},
		{suites.Rewritten, InputRewritten, false, suites.Asked},
		{suites.Proceeds, Nothing, true, suites.Denied},
	} {
		r := Reading{Effect: tt.effect, Cause: Cause{Kind: tt.kind}, ModelSees: []string{"reason", "context"}, Context: []string{"context"}}
		got := r.ApplyRule(PermissionRule{List: "deny", Text: "Bash"}, tt.denies)
		if got.Effect != tt.want {
			t.Errorf("%s of %s: %s, want %s", tt.effect, tt.kind, got.Effect, tt.want)
		}
		if ruled := got.Cause.Kind == RuleDenies || got.Cause.Kind == RuleAsks; ruled != (len(got.ModelSees) == 1) {
			t.Errorf("%s of %s: the model sees %q", tt.effect, tt.kind, got.ModelSees)
		}
	}
}

// TestCombinedInput checks whose input is the call's.
func TestCombinedInput(t *testing.T) {
	t.Parallel()
	rewrite := func(decision, command string) Reading {
		return Interpret(Default, "PreToolUse", Output{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse",` + decision + `"updatedInput":{"command":"` + command + `"}}}`), Matched: "Bash"})
	}
	const asks, allows = `"permissionDecision":"ask",`, `"permissionDecision":"allow",`
	for _, tt := range []struct {
		readings []Reading
		want     any
	}{
		{[]Reading{rewrite("", "a"), rewrite("", "b")}, "b"},
		{[]Reading{rewrite(asks, "a")}, "a"},
		{[]Reading{rewrite(asks, "a"), rewrite(allows, "b")}, "a"},
		{[]Reading{rewrite(allows, "b"), rewrite(asks, "a")}, "a"},
		{[]Reading{rewrite("", "a"), Interpret(Default, "PreToolUse", Output{Matched: "Bash"})}, "a"},
		{[]Reading{Interpret(Default, "PreToolUse", Output{Matched: "Bash"})}, nil},
	} {
		if got := Combine(tt.readings).Input["command"]; got != tt.want {
			t.Errorf("%v, want %v", got, tt.want)
		}
	}
}
