package trace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/suites"
)

// TestScripts checks that each file is read once, even if it cannot be read or parsed.
func TestScripts(t *testing.T) {
	t.Parallel()
	reads := 0
	s := NewScripts(func(path string) ([]byte, error) {
		reads++
		switch path {
		case "good.sh":
			return []byte("#!/bin/bash\nf() { echo x; }\nf\n"), nil
		case "bad.sh":
			return []byte("if ("), nil
		}
		return nil, os.ErrNotExist
	})
	for range 2 {
		script, err := s.Script("good.sh")
		if err != nil || len(script.Functions) != 1 || script.Functions[0].Name != "f" {
			t.Errorf("good.sh: %+v, %v", script, err)
		}
		if _, err := s.Script("bad.sh"); err == nil {
			t.Error("bad.sh is a script")
		}
		if _, err := s.Script("none.sh"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("none.sh: %v", err)
		}
	}
	if reads != 3 {
		t.Errorf("%d reads", reads)
	}
}

// TestDecodeAbnormal checks that a run which did not end by itself has an incomplete trace.
func TestDecodeAbnormal(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "h.sh"), []byte("#!/bin/bash\necho x\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	by := NewScripts(func(path string) ([]byte, error) { return os.ReadFile(filepath.Join(root, path)) })
	for want, r := range map[string]suites.Result{
		"timed out": {TimedOut: true}, "SIGKILL": {Signal: "SIGKILL"}, "left processes behind": {LeftBehind: []string{"sleep"}},
	} {
		o := suites.Outcome{Root: root, Results: []suites.Result{r}, Trace: map[string][]byte{"bash/log": []byte("B\x1f" + root + "\x1fh.sh\x00")}}
		if got := DecodeOutcome(&o, []string{"h.sh"}, by); !strings.Contains(got.Incomplete, want) {
			t.Errorf("incomplete because %q, want %q", got.Incomplete, want)
		}
	}
}

// TestResolved checks that files of the project have paths from its root, and others absolute
// ones.
func TestResolved(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "o.sh")
	for _, file := range []string{filepath.Join(root, "h.sh"), outside} {
		if err := os.WriteFile(file, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("h.sh", filepath.Join(root, "link.sh")); err != nil {
		t.Skip(err)
	}
	real, err := filepath.EvalSymlinks(outside)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"h.sh": "h.sh", "link.sh": "h.sh", filepath.Join(root, "h.sh"): "h.sh", outside: filepath.ToSlash(real), "none.sh": ""} {
		if got := resolved(root, name, root); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
