package run_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/process"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
	"hookwatch/suites/verdict"
)

// TestInstalled checks that the files in hidden places that a program in PATH needs are visible: a
// link leads to a wrapper, and that to the program. If the need cannot be detected, the verdict
// reports that the program exists outside, and does not blame the hook.
func TestInstalled(t *testing.T) {
	t.Parallel()
	p, home, places := newProject(t), t.TempDir(), t.TempDir()
	bin, wrappers, programs := filepath.Join(places, "a", "bin"), filepath.Join(places, "b"), filepath.Join(places, "c", "bin")
	outside := filepath.Join(home, "tools") // a directory in PATH that is not hidden
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(programs, "worker"), "#!/bin/sh\necho works\n")
	write(filepath.Join(programs, "other"), "#!/bin/sh\necho works\n")
	write(filepath.Join(wrappers, "wrapper"), "#!/bin/sh\nexec "+programs+"/worker \"$@\"\n")
	write(filepath.Join(bin, "computed"), "#!/bin/sh\nd="+filepath.Dir(filepath.Dir(programs))+"/d\nexec \"$d/bin/hidden\"\n")
	write(filepath.Join(places, "d", "bin", "hidden"), "#!/bin/sh\necho works\n")
	if err := os.MkdirAll(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{filepath.Join(bin, "linked"): filepath.Join(wrappers, "wrapper"), filepath.Join(outside, "far"): filepath.Join(programs, "other")} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	o := run.Options{
		Root: p.root, Temp: p.temp, Timeout: time.Minute,
		Env: process.With(run.Environment(os.Environ(), nil), map[string]string{"HOME": home, "PATH": bin + ":" + outside + ":/usr/bin:/bin"}),
	}
	choice, err := sandbox.Choose(sandbox.Auto, sandbox.Options{Root: p.root, Home: home, Size: 8 << 20, Processes: 100}, p.temp)
	if err != nil || choice.Describe().Name != "namespaces" {
		t.Fatalf("%v, %v", choice, err)
	}
	o.Isolation = choice
	r := run.New(o)
	defer r.Close()
	for program, want := range map[string]suites.Status{"linked": suites.Pass, "far": suites.Pass, "computed": suites.Skip, "no-such-program": suites.Fail} {
		p.write(program+".sh", "#!/bin/bash\n"+program+"\n", 0o755)
		c := &suites.Case{Suite: "s", ID: "A", Hook: program + ".sh", Steps: []suites.Step{{
			Event: "Stop", Expect: suites.Expectation{Exit: code(0), Stdout: &suites.TextExpectation{Contains: []string{"works"}}},
		}}}
		out, err := r.Case(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		v := verdict.Judge(c, out, o.Timeout)
		if v.Status != want {
			t.Errorf("%s: %s %s, want %s; %s", program, v.Status, v.Note, want, out.Results[0].Stderr)
		}
		if want == suites.Skip && (!strings.HasPrefix(v.Note, "absent: ") || !strings.Contains(v.Note, "/d/bin/hidden")) {
			t.Errorf("%s: the note does not name the hidden file: %s", program, v.Note)
		}
		if err := r.Remove(out); err != nil {
			t.Error(err)
		}
	}
}
