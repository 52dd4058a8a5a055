package client

import "testing"

// TestRemedy checks that exit code 2 and onFailure are named only if they have an effect.
func TestRemedy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind  Kind
		event string
		want  string
	}{
		{ExitCode, "PreToolUse", `Exit 2 to block. Or set onFailure "block" in the entry: failures block then.`},
		{ExitCode, "UserPromptSubmit", `Exit 2 to block. Or set onFailure "block" in the entry: failures block then.`},
		{ExitCode, "Stop", "Exit 2 to block."},
		{ExitCode, "PostToolUse", "Exit 2 to show stderr to the model."},
		{ExitCode, "SessionStart", "Exit 0: no exit code of a hook blocks SessionStart."},
		{ExitCode, "SessionEnd", "Exit 0: no exit code of a hook blocks SessionEnd."},
		{ExitCode, "PermissionRequest", `Print a JSON decision. Or set onFailure "block" in the entry: failures block then.`},
		{ExitCode, "", `Exit 2 to block. Or set onFailure "block" in the entry: failures block then.`},
		{TimedOut, "PreToolUse", `Make it faster, or raise its timeout (seconds). Or set onFailure "block" in the entry: failures block then.`},
		{TimedOut, "PermissionRequest", `Make it faster, or raise its timeout (seconds). Or set onFailure "block" in the entry: failures block then.`},
		{TimedOut, "Stop", "Make it faster, or raise its timeout (seconds)."},
		{TimedOut, "SessionEnd", "Make it faster, or raise its timeout (seconds)."},
		{Killed, "SessionStart", "Find out what kills it."},
		{NotFound, "SessionStart", "Correct the path, quote it, and use only what /bin/sh supports."},
	} {
		if got := (Cause{Kind: tt.kind, Event: tt.event}).Remedy(); got != tt.want {
			t.Errorf("%s at %s: %q, want %q", tt.kind, tt.event, got, tt.want)
		}
	}
}
