package run_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// TestChecksReadOnly checks that nothing remains of changes that a runner makes to the project and
// HOME when it is asked for a tool.
func TestChecksReadOnly(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("bin/uv", "#!/bin/bash\ntouch .venv \"$HOME\"/cache && echo \"bandit 1.8 $UV_OFFLINE $*\"\n", 0o755)
	home := t.TempDir()
	o := run.Options{
		Root: p.root, Temp: p.temp, Timeout: time.Minute,
		Env: []string{"PATH=" + filepath.Join(p.root, "bin") + ":" + os.Getenv("PATH"), "HOME=" + home},
	}
	choice, err := sandbox.Choose(sandbox.Auto, sandbox.Options{Root: p.root, Home: home, Size: 8 << 20, Processes: 100}, p.temp)
	if err != nil || choice.Describe().Name != "namespaces" {
		t.Fatalf("%v, %v", choice, err)
	}
	o.Isolation = choice
	r := run.New(o)
	c := &suites.Case{Suite: "dep", ID: "D", Check: &suites.Check{Tool: "bandit", Places: []string{"uv run bandit"}}}
	out, err := r.Case(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	want := suites.Finding{Holds: true, Detail: "uv run bandit: bandit 1.8 1 run --no-sync --offline bandit --version"}
	if out.Finding == nil || *out.Finding != want {
		t.Errorf("%+v, want %+v", out.Finding, want)
	}
	if err := r.Remove(out); err != nil {
		t.Error(err)
	}
	for _, path := range []string{filepath.Join(p.root, ".venv"), filepath.Join(home, "cache")} {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", path, err)
		}
	}
	if left, err := os.ReadDir(p.temp); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
