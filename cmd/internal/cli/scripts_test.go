package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hookwatch/cmd/internal/cli/testdata/scripttest"
	"hookwatch/suites/process/testdata/processtest"
)

// TestScripts runs the scripts in testdata/script, one file a subject, and if the tests are exhaustive
// those in testdata/suites, which run whole suites that hookwatch ships. Their command "hookwatch
// ARG... [<FILE]" runs in this process: those that need a process, or another environment, are in
// cmd/hookwatch.
func TestScripts(t *testing.T) {
	t.Parallel()
	var files []string
	for _, dir := range []string{"script", "suites"} {
		all, err := filepath.Glob("testdata/" + dir + "/*.txt")
		if err != nil || len(all) == 0 {
			t.Fatalf("%d scripts in %s: %v", len(all), dir, err)
		}
		if dir == "script" || processtest.Exhaustive() {
			files = append(files, all...)
		}
	}
	testscript.Run(t, testscript.Params{
		Files:               files,
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"json": scripttest.JSON,
			"hookwatch": func(ts *testscript.TestScript, fails bool, args []string) {
				var out, diagnostics bytes.Buffer
				input := ""
				if from, ok := strings.CutPrefix(args[len(args)-1], "<"); ok {
					input, args = ts.ReadFile(from), args[:len(args)-1]
				}
				root := newRoot(newApp(Streams{In: strings.NewReader(input), Out: &out, Err: &diagnostics}))
				if runtime.GOOS != "linux" && args[0] != "__complete" {
					args = append(args, "--isolation", "copy")
				}
				dir := "."
				if args[0] == "-C" {
					dir, args = args[1], args[2:]
				}
				root.SetArgs(append([]string{"-C", ts.MkAbs(dir)}, args...))
				code := exitCode(root.ExecuteContext(t.Context()), &diagnostics)
				_, _ = ts.Stdout().Write(out.Bytes())
				_, _ = ts.Stderr().Write(diagnostics.Bytes())
				if (code != 0) != fails {
					ts.Fatalf("hookwatch %q: exit code %d", args, code)
				}
			},
		},
		Setup: func(env *testscript.Env) error {
			return os.MkdirAll(env.WorkDir+"/tmp", 0o755)
		},
	})
}
