package client

import (
	"testing"
)

func out(text string) Output { return Output{Stdout: []byte(text)} }

func exits(code int, stdout, stderr string) Output {
	return Output{Exit: code, Stdout: []byte(stdout), Stderr: []byte(stderr)}
}

const blockJSON = `{"decision":"block","reason":"RSN"}`

func specific(event, fields string) string {
	return `{"hookSpecificOutput":{"hookEventName":"` + event + `",` + fields + `}}`
}

func TestDecision(t *testing.T) {
	t.Parallel()
	for stdout, want := range map[string]string{
		"": "none", "{}": "none", "block": "none", blockJSON: "block", `{"decision":"approve"}`: "approve",
		`{"decision":"allow"}`: "allow", `{"decision":"nonsense"}`: "none", `{"permissionDecision":"deny"}`: "deny",
		specific("PreToolUse", `"permissionDecision":"ask"`):                                 "ask",
		specific("PermissionRequest", `"decision":{"behavior":"allow"}`):                     "allow",
		`{"decision":"approve",` + specific("PreToolUse", `"permissionDecision":"deny"`)[1:]: "deny",
	} {
		for _, exit := range []int{0, 1, 2} {
			if got := Interpret(Default, "PreToolUse", exits(exit, stdout, "")).Decision; got != want {
				t.Errorf("%s at exit %d: decision %q, want %q", stdout, exit, got, want)
			}
		}
	}
}
