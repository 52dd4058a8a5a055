package trace

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
)

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
			how := Endings(dir, nil)
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
