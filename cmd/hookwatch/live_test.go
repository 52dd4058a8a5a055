package main

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hookwatch/suites/client/clients"
)

// realClient is the variable that leads to the directory of the real client's program.
const realClient = "HOOKWATCH_TEST_CLIENT"

// TestRealClient runs the scripts in testdata/live with the real client; .ci/live
// installs one and sets the variable.
func TestRealClient(t *testing.T) {
	t.Parallel()
	withRealClient(t, realClient, "testdata/live")
}

// TestRealClients does the same with the other clients that can be run, each with its scripts in
// testdata/live/NAME and the variable HOOKWATCH_TEST_NAME.
func TestRealClients(t *testing.T) {
	t.Parallel()
	for _, c := range clients.Clients() {
		if c.Live.Program == "" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			withRealClient(t, "HOOKWATCH_TEST_"+strings.ToUpper(c.Name), "testdata/live/"+c.Name)
		})
	}
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
