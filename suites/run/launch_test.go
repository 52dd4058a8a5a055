package run_test

import (
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/process"
)

// TestByExtension checks that a script without a #! line runs under the interpreter of its
// extension, never under bash.
func TestByExtension(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	env := p.runner().Env
	for ext, script := range map[string]string{
		"py": "import sys\nprint('ran')\nsys.exit(3)\n",
		"js": "console.log('ran')\nprocess.exit(3)\n",
		"pl": "print \"ran\\n\";\nexit 3;\n",
	} {
		program := map[string]string{"py": "python3", "js": "node", "pl": "perl"}[ext]
		if _, err := process.LookPath(program, "/", env); err != nil {
			continue // the others have a #! line
		}
		p.write("hook."+ext, script, 0o755)
		c := &suites.Case{Suite: "s", ID: "A", Hook: "hook." + ext, Steps: []suites.Step{{Event: "Stop",
			Expect: suites.Expectation{Exit: code(3), Stdout: &suites.TextExpectation{Contains: []string{"ran"}}}}}}
		if v, o := p.judge(c); v.Status != suites.Pass {
			t.Errorf("%s: %s %s", ext, v.Note, o.Last().Stderr)
		}
	}
}

// TestPipeAsHook checks that a pipe in place of a hook is reported and does not block.
func TestPipeAsHook(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	mkfifo(t, p.root+"/hook.sh")
	v, _ := p.judge(bashCase(suites.Expectation{Exit: code(0)}))
	if v.Status != suites.Fail || !strings.Contains(v.Note, "no regular file") {
		t.Errorf("%+v", v)
	}
}
