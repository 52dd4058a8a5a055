package trace

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
	"hookwatch/suites/disk"
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

// TestEndingOf checks that the command which ended a script is found in the log of bash.
func TestEndingOf(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is absent")
	}
	lib := "fail() {\n  false\n}\n"
	for name, tt := range map[string]struct {
		script string
		want   *suites.Ending
	}{
		"a command":                {"set -euo pipefail\necho a\ngrep -q x /dev/null\necho b\n", &suites.Ending{File: "hook.sh", Line: 3, Command: "grep -q x /dev/null"}},
		"in a function":            {"set -e\nf() {\n  :\n  false\n}\nf\n", &suites.Ending{File: "hook.sh", Line: 4, Command: "false"}},
		"in a library":             {"set -e\n. ./lib.sh\nfail\n", &suites.Ending{File: "lib.sh", Line: 2, Command: "false"}},
		"an assignment":            {"set -e\nx=$(false)\n", &suites.Ending{File: "hook.sh", Line: 2, Command: "x=$(false)"}},
		"a subshell":               {"set -e\n(\n  false\n)\necho b\n", &suites.Ending{File: "hook.sh", Line: 3, Command: "false"}},
		"the end of a pipe":        {"set -e\necho a | grep -q b\n", &suites.Ending{File: "hook.sh", Line: 2, Command: "grep -q b"}},
		"before an EXIT trap":      {"set -e\ntrap 'true; : done' EXIT\nfalse\n", &suites.Ending{File: "hook.sh", Line: 3, Command: "false"}},
		"a condition is none":      {"set -e\nif false; then :; fi\nfalse || true\nexit 1\n", nil},
		"exit":                     {"set -e\nexit 1\n", nil},
		"without set -e":           {"false\nexit 1\n", nil},
		"another code":             {"set -e\n(exit 3)\n", nil},
		"another script":           {"bash ./child.sh || exit 1\n", nil},
		"a trap of the hook's own": {"set -e\ntrap ': mine' ERR\nfalse\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			how := StartErrTrap(dir, nil)
			files := how.Files
			files["hook.sh"], files["lib.sh"], files["child.sh"] = tt.script, lib, "set -e\nfalse\n"
			for file, content := range files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(bash, "hook.sh")
			cmd.Dir = dir
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "BASH_ENV=" + how.Set["BASH_ENV"]}
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Fatalf("the script did not fail: %s", out)
			}
			written, err := os.ReadFile(filepath.Join(dir, logName))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, EndingOf(map[string][]byte{logName: written}, "hook.sh", 1)); diff != "" {
				t.Errorf("-want +got\n%s%q", diff, written)
			}
		})
	}
}

// TestObserved checks which of the paths that processes use are inputs of a case.
func TestObserved(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("PATH", filepath.Join(home, "bin")+string(filepath.ListSeparator)+filepath.Join(root, "bin"))
	box := t.TempDir()
	for _, dir := range []string{"real", "docs"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("real", filepath.Join(root, "link")); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	in := func(dir, name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	o := &suites.Outcome{Root: "/copy", Project: root, Sandbox: filepath.Join(box, "case"), Accesses: []suites.Access{
		{Path: root, Kind: suites.Looked | suites.Listed},
		{Path: home, Kind: suites.Looked},
		{Path: filepath.Dir(home), Kind: suites.Listed},
		{Path: in(root, "a.json"), Kind: suites.Read | suites.Data},
		{Path: in(root, "real/c"), Kind: suites.Read | suites.Data},
		{Path: in(root, "docs"), Kind: suites.Looked | suites.Listed},
		{Path: in(root, "made"), Kind: suites.Wrote},
		{Path: in(root, "none/b"), Kind: suites.Looked},
		{Path: in(root, "link/c"), Kind: suites.Read},
		{Path: in(root, "lib/__pycache__/x.pyc"), Kind: suites.Read},
		{Path: in(root, "node_modules/@s/p/lib/x.js"), Kind: suites.Read},
		{Path: in(root, "web/node_modules/q/y.js"), Kind: suites.Read},
		{Path: in(root, "web/node_modules/q/node_modules/r/z.js"), Kind: suites.Read},
		{Path: in(root, ".venv/lib/python3/site-packages/z/z.py"), Kind: suites.Read},
		{Path: in(root, "bin/tool"), Kind: suites.Looked | suites.Ran},
		{Path: in(home, ".config/rules"), Kind: suites.Looked},
		{Path: in(home, ".py/3/bin/python"), Kind: suites.Ran | suites.Read},
		{Path: in(home, ".py/3/lib/os.py"), Kind: suites.Read},
		{Path: in(home, ".py/3/lib/python3/site-packages/w/w.py"), Kind: suites.Read},
		{Path: in(home, ".cargo/bin/python"), Kind: suites.Looked},
		{Path: in(home, ".cargo/bin/jq"), Kind: suites.Looked},
		{Path: in(home, "bin/own"), Kind: suites.Ran},
		{Path: in(home, "bin/other"), Kind: suites.Looked},
		{Path: in(box, "tools/jaq"), Kind: suites.Ran},
		{Path: in(box, "case/made"), Kind: suites.Ran},
		{Path: in(home, "notes"), Kind: suites.Read},
		{Path: "/elsewhere/asked", Kind: suites.Looked},
		{Path: "/asked", Kind: suites.Looked},
		{Path: "/elsewhere/read", Kind: suites.Read},
	}}
	own := in(home, "bin/own")
	if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(own, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range o.Accesses { // as the kernel names them
		o.Accesses[i].Path = filepath.Clean(o.Accesses[i].Path)
	}
	slash := filepath.ToSlash(home)
	want := &Observed{
		Paths: []string{
			"./", ".venv/lib/python3/site-packages/", slash + "/.cargo/bin/jq", slash + "/.py/3/lib/python3/site-packages/", slash + "/.config/rules", slash + "/notes",
			"/elsewhere/asked", "/elsewhere/read", "a.json", "bin/tool", "docs", "docs/", "link/c", "node_modules/@s/p/package.json",
			"none/b", "real/c", "web/node_modules/q/package.json",
			"web/node_modules/q/node_modules/r/package.json",
		},
		Programs: []suites.Tool{
			{Name: "jaq"}, {Name: "made"},
			{Name: "python", Path: in(home, ".py/3/bin/python")}, {Name: "other", Path: in(home, "bin/other")}, {Name: "own", Path: in(home, "bin/own"), Digest: disk.ProgramDigest(own)},
		},
	}
	sorted := cmp.Transformer("sorted", func(in []string) map[string]bool {
		set := map[string]bool{}
		for _, s := range in {
			set[s] = true
		}
		return set
	})
	got, uses := ObservedIn(o)
	if diff := cmp.Diff(want, got, sorted); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
	for p, want := range map[string]bool{slash + "/notes": true, "a.json": false, "real/c": false, "link/c": false, "docs": false} {
		if kind := uses[p]; (kind&suites.Read != 0 && kind&(suites.Data|suites.Wrote) == 0) != want {
			t.Errorf("%s: opened by bash alone: %v", p, !want)
		}
	}
	o.Unobserved = "too many paths"
	if got, _ := ObservedIn(o); got != nil {
		t.Error("an incomplete record counts")
	}
}
