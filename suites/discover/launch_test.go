package discover

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites/client"
)

func TestClientEnv(t *testing.T) {
	t.Parallel()
	env := ClientEnv("/p", "s1", "PreToolUse", client.V329)
	for _, want := range []string{"CLAUDE_PROJECT_DIR=/p", "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=s1", "CLAUDE_CODE_ENTRYPOINT=sdk-cli"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing from %q", want, env)
		}
	}
	names := func(event string, version client.Version, prefix string) bool {
		return slices.ContainsFunc(ClientEnv("/p", "s1", event, version), func(variable string) bool {
			return strings.HasPrefix(variable, prefix)
		})
	}
	for _, test := range []struct {
		event   string
		version client.Version
		prefix  string
		want    bool
	}{
		{"PreToolUse", client.V329, "CLAUDE_PID=", true},
		{"PreToolUse", client.V197, "CLAUDE_PID=", false},
		{"PreToolUse", client.V329, "CLAUDE_ENV_FILE=", false},
		{"SessionStart", client.V197, "CLAUDE_ENV_FILE=", true},
		{"SessionStart", client.V329, "ANTHROPIC", false},
	} {
		if got := names(test.event, test.version, test.prefix); got != test.want {
			t.Errorf("%s on %s has %s: %t", test.event, test.version, test.prefix, got)
		}
	}
}
