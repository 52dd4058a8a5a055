package main

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hookwatch/cmd/internal/cli"
	"hookwatch/cmd/internal/cli/testdata/scripttest"
	"hookwatch/suites/process/testdata/processtest"
)

// asProgram makes the test binary hookwatch itself, for tests that need a
// process of it.
const asProgram = "HOOKWATCH_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		_ = os.Unsetenv(asProgram)
		if socket := os.Getenv(measureSocket); socket != "" {
			_ = os.Unsetenv(measureSocket)
			printMemory(socket)
		}
		asMain()
	}
	keepInherited()
	testscript.Main(prepared{m}, map[string]func(){"hookwatch": asMain, "jq": asMain, "jaq": asMain, "client-stand-in": asClient, "codex": asCodex})
}

// prepared are the tests. Programs that have the test binary under another name do not reach them.
type prepared struct{ *testing.M }

func (m prepared) Run() int {
	if err := errors.Join(processtest.ResolveShims(), processtest.Overlap()); err != nil {
		panic(err)
	}
	return m.M.Run()
}

// asMain is main. If the binary has the name of a JSON tool, it is that tool.
//
// A binary built to measure coverage writes its counters to GOCOVERDIR in os.Exit, and prints a
// warning on stderr if that is not set, as in the environment of hooks. Tests check stderr.
func asMain() {
	code := cli.Main(os.Args, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	if testing.CoverMode() != "" && os.Getenv("GOCOVERDIR") == "" {
		syscall.Exit(code)
	}
	os.Exit(code)
}

// TestScripts runs the scripts, one file a subject, that need the program: another environment,
// standard input, signals, or what it leaves behind. The others are in cmd/internal/cli.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"json": scripttest.JSON},
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_STATE_HOME", env.WorkDir+"/state")
			env.Setenv("HOME", env.WorkDir+"/home")
			env.Setenv("TMPDIR", env.WorkDir+"/tmp")
			env.Setenv("CI", "true")
			env.Setenv("TERM", "dumb")
			if runtime.GOOS != "linux" {
				env.Setenv("HOOKWATCH_ISOLATION", "copy")
			}
			env.Setenv("HOOKWATCH_PASS_ENV", "GORACE")
			env.Setenv("GORACE", strings.TrimPrefix(raceOptions, "GORACE="))
			return os.MkdirAll(env.WorkDir+"/tmp", 0o755)
		},
	})
}
