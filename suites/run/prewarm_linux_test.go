package run_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// TestPrewarm checks that a prewarmed sandbox goes to a case without special needs, shows the files
// saved until then, and is discarded if no case takes it.
func TestPrewarm(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("hooks/h.sh", "#!/bin/bash\ncat \"$CLAUDE_PROJECT_DIR/text\"\n", 0o755)
	home := t.TempDir()
	o := run.Options{
		Root: p.root, Temp: p.temp, Timeout: time.Minute,
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home},
	}
	choice, err := sandbox.Choose(sandbox.Auto, sandbox.Options{Root: p.root, Home: home, Size: 8 << 20, Processes: 100}, p.temp)
	if err != nil || choice.Describe().Name != "namespaces" {
		t.Fatalf("%v, %v", choice, err)
	}
	o.Isolation = choice
	r := run.New(o)
	p.write("text", "saved", 0o644)
	plain := &suites.Case{Suite: "s", ID: "A", Hook: "hooks/h.sh", Steps: []suites.Step{{Event: "Stop"}}}
	special := *plain
	special.Project = &suites.ProjectOverride{Files: map[string]string{"text": "own"}}
	r.Prewarm()
	for _, tt := range []struct {
		c         *suites.Case
		prewarmed bool
		out       string
	}{{&special, false, "own"}, {plain, true, "saved"}, {plain, false, "saved"}} {
		out, err := r.Case(t.Context(), tt.c)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(out.Results[0].Stdout); got != tt.out {
			t.Errorf("the hook saw %q, want %q", got, tt.out)
		}
		if prewarmed := strings.HasPrefix(filepath.Base(out.Sandbox), "prewarmed-"); prewarmed != tt.prewarmed {
			t.Errorf("prewarmed %v, want %v", prewarmed, tt.prewarmed)
		}
		if err := r.Remove(out); err != nil {
			t.Error(err)
		}
	}
	r.Prewarm()
	r.Close()
	if left, _ := filepath.Glob(filepath.Join(p.temp, "prewarmed-*")); len(left) > 0 {
		t.Errorf("a sandbox that was not used is left: %q", left)
	}
}

// TestProbed checks that the first plain case gets the sandbox in which isolation was probed, that no
// other case does, and that it is discarded if no case takes it.
func TestProbed(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("hooks/h.sh", "#!/bin/bash\necho \"$TMPDIR\"\n", 0o755)
	home := t.TempDir()
	o := run.Options{
		Root: p.root, Temp: p.temp, Timeout: time.Minute,
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home},
	}
	plain := &suites.Case{Suite: "s", ID: "A", Hook: "hooks/h.sh", Steps: []suites.Step{{Event: "Stop"}}}
	special := *plain
	special.Project = &suites.ProjectOverride{Files: map[string]string{"text": "own"}}
	probed := func(cases ...*suites.Case) (got []bool) {
		var err error
		o.Isolation, err = sandbox.Choose(sandbox.Auto, sandbox.Options{
			Root: p.root, Home: home, Size: 8 << 20, Processes: 100, Plain: run.Plain(o.Env, false), Currency: time.Hour,
		}, p.temp)
		if err != nil {
			t.Fatal(err)
		}
		r := run.New(o)
		defer r.Close()
		for _, c := range cases {
			out, err := r.Case(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if want := filepath.Join(out.Sandbox, "tmp") + "\n"; string(out.Results[0].Stdout) != want {
				t.Errorf("TMPDIR is %q, want %q", out.Results[0].Stdout, want)
			}
			got = append(got, strings.HasPrefix(filepath.Base(out.Sandbox), "probe-"))
			if err := r.Remove(out); err != nil {
				t.Error(err)
			}
		}
		return got
	}
	if got := probed(&special, plain, plain); !slices.Equal(got, []bool{false, true, false}) {
		t.Errorf("cases that got the sandbox of the probe: %v, want the first plain one", got)
	}
	probed()
	if left, _ := filepath.Glob(filepath.Join(p.temp, "probe-*")); len(left) > 0 {
		t.Errorf("a sandbox that was not used is left: %q", left)
	}
}

// TestReuse checks that a case may run in the sandbox of an earlier one only if that left no trace
// in it.
func TestReuse(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("hooks/h.sh", "#!/bin/bash\neval \"$(cat)\"\nls -A \"$TMPDIR\"\n", 0o755)
	p.write("text", "content", 0o644)
	home := t.TempDir()
	o := run.Options{
		Root: p.root, Temp: p.temp, Timeout: time.Minute, Reuse: true,
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home},
	}
	var err error
	o.Isolation, err = sandbox.Choose(sandbox.Auto, sandbox.Options{
		Root: p.root, Home: home, Size: 8 << 20, Processes: 100, Plain: run.Plain(o.Env, false), Currency: time.Hour,
	}, p.temp)
	if err != nil {
		t.Fatal(err)
	}
	r := run.New(o)
	fire := func(script, fixture string) suites.Outcome {
		c := &suites.Case{Suite: "s", ID: "A", Hook: "hooks/h.sh", Steps: []suites.Step{{Event: "Stop", Stdin: &script}}}
		if fixture != "" {
			c.Steps[0].Fixtures = []suites.Fixture{{Path: fixture, Content: "put"}}
		}
		out, err := r.Case(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Remove(out); err != nil {
			t.Error(err)
		}
		return out
	}
	for script, fixture := range map[string]string{
		":": "",
		"cat \"$TMPDIR/f\"; touch /tmp/x; rm /tmp/x": "{tmp}/f",
	} {
		reused := func() bool {
			first, second := fire(script, fixture), fire(":", "")
			if got := string(second.Results[0].Stdout); got != "" {
				t.Errorf("after %q the next case finds %q", script, got)
			}
			return first.Sandbox == second.Sandbox
		}
		if !reused() {
			t.Errorf("the next case did not get the sandbox of %q", script)
		}
	}
	traces := map[string]string{
		"touch /tmp/x": "", "touch \"$TMPDIR/x\"": "", "touch \"$HOME/x\"": "", "echo >>text": "", "chmod 600 text": "", "rm text": "",
		"sleep 100 & disown": "", "kill -9 $$": "", "echo x >/dev/shm/x": "", "exec 3<>/dev/tcp/127.0.0.1/9": "",
		"ls {project}": "{project}/new", "touch -a -d @1 text": "",
	}
	if _, err := exec.LookPath("ipcmk"); err == nil {
		traces["ipcmk -Q >&2"] = ""
	}
	for script, fixture := range traces {
		for range 3 {
			if first, second := fire(script, fixture), fire(":", ""); first.Sandbox == second.Sandbox {
				t.Errorf("a case ran in the sandbox of %q", script)
			}
		}
	}
	r.Close()
	if left, _ := filepath.Glob(filepath.Join(p.temp, "*-*")); len(left) > 0 {
		t.Errorf("sandboxes are left: %q", left)
	}
}
