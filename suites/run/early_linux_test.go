package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/isolate"
	"hookwatch/suites/run"
)

// A sandbox that was made early goes to a case that wants nothing special, sees
// what was saved until then, and is given up when nobody wants it.
func TestPrewarm(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("hooks/h.sh", "#!/bin/bash\ncat \"$CLAUDE_PROJECT_DIR/text\"\n", 0o755)
	home := t.TempDir()
	o := run.Options{
		Root: p.root, Temp: p.temp, Timeout: 20 * time.Second, Isolation: isolate.Namespaces,
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home},
	}
	choice, err := isolate.Choose(isolate.Auto, isolate.Options{Root: p.root, Home: home, Size: 8 << 20, Processes: 100}, p.temp)
	if err != nil || choice.Mode != isolate.Namespaces {
		t.Fatalf("%v, %v", choice, err)
	}
	o.Plan = choice.Plan
	r := run.New(o)
	p.write("text", "saved", 0o644)
	plain := &suites.Case{Suite: "s", ID: "A", Hook: "hooks/h.sh", Steps: []suites.Step{{Event: "Stop"}}}
	special := *plain
	special.Project = &suites.ProjectOverride{Files: map[string]string{"text": "own"}}
	r.Prewarm()
	for _, tt := range []struct {
		c     *suites.Case
		early bool
		out   string
	}{{&special, false, "own"}, {plain, true, "saved"}, {plain, false, "saved"}} {
		out, err := r.Case(t.Context(), tt.c)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(out.Results[0].Stdout); got != tt.out {
			t.Errorf("the hook saw %q, want %q", got, tt.out)
		}
		if early := strings.HasPrefix(filepath.Base(out.Sandbox), "early-"); early != tt.early {
			t.Errorf("early %v, want %v", early, tt.early)
		}
		if err := r.Remove(out); err != nil {
			t.Error(err)
		}
	}
	r.Prewarm()
	r.Close()
	if left, _ := filepath.Glob(filepath.Join(p.temp, "early-*")); len(left) > 0 {
		t.Errorf("a sandbox that nobody took is left: %q", left)
	}
}
