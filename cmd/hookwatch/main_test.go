package main

import (
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/itchyny/gojq"
	"github.com/rogpeppe/go-internal/testscript"

	"hookwatch/cmd/internal/cli"
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

// TestScripts runs the command line's own scripts: one file a subject, in
// testdata/script.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"json": jsonOutput},
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

// jsonOutput is the script command "json FILTER WANT...". It applies a jq filter to each JSON
// document on the standard output of the last command, and expects these results, in order.
func jsonOutput(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: json FILTER WANT...")
	}
	query, err := gojq.Parse(args[0])
	ts.Check(err)
	var got []string
	for documents := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout"))); documents.More(); {
		var document any
		ts.Check(documents.Decode(&document))
		for results := query.Run(document); ; {
			result, more := results.Next()
			if !more {
				break
			}
			if err, failed := result.(error); failed {
				ts.Fatalf("%s: %v", args[0], err)
			}
			text, err := gojq.Marshal(result)
			ts.Check(err)
			got = append(got, string(text))
		}
	}
	if d := cmp.Diff(args[1:], got, cmpopts.EquateEmpty()); d != "" {
		ts.Fatalf("%s (-want +got):\n%s", args[0], d)
	}
}
