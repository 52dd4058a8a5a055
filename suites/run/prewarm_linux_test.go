package run_test

import (
	"os"
	"path/filepath"
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
		Root: p.root, Temp: p.temp, Timeout: 20 * time.Second,
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
		t.Errorf("a sandbox that nobody took is left: %q", left)
	}
}
