package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// realClient is the variable that leads to the directory of the real client's program.
const realClient = "HOOKWATCH_TEST_CLIENT"

// TestRealClient runs the scripts in testdata/live with the real client; .ci/live
// installs one and sets the variable.
func TestRealClient(t *testing.T) {
	t.Parallel()
	withRealClient(t, realClient, "testdata/live")
}

// TestRealClientCodex and TestRealClientCopilot do the same with other clients.
func TestRealClientCodex(t *testing.T) {
	t.Parallel()
	withRealClient(t, "HOOKWATCH_TEST_CODEX", "testdata/live/codex")
}

func TestRealClientCopilot(t *testing.T) {
	t.Parallel()
	withRealClient(t, "HOOKWATCH_TEST_COPILOT", "testdata/live/copilot")
}

func withRealClient(t *testing.T, variable, scripts string) {
	t.Helper()
	dir := os.Getenv(variable)
	if dir == "" {
		t.Skip(variable + " is not set: see .ci/live")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 scripts,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_STATE_HOME", env.WorkDir+"/state")
			env.Setenv("HOME", env.WorkDir+"/home")
			env.Setenv("TMPDIR", env.WorkDir+"/tmp")
			env.Setenv("CI", "true")
			env.Setenv("PATH", dir+string(os.PathListSeparator)+env.Getenv("PATH"))
			return os.MkdirAll(env.WorkDir+"/tmp", 0o755)
		},
	})
}
