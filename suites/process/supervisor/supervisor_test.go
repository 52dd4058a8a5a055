//go:build linux

package supervisor_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"hookwatch/suites/process/supervisor"
)

// TestImports keeps the supervisor's start fast, because with one more import it would be
// initialised after other packages. See the package comment.
func TestImports(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-f", `{{join .Imports " "}}`, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(out)); got != "strconv syscall unsafe" {
		t.Errorf("imports %q, want only strconv, syscall and unsafe", got)
	}
}

// TestFirst checks that a supervisor initialises no library and not even os, though this
// test program links much more.
func TestFirst(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{supervisor.Env + "=0", "GODEBUG=inittrace=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, m := range regexp.MustCompile(`(?m)^init (\S+) `).FindAllStringSubmatch(string(out), -1) {
		first, _, _ := strings.Cut(m[1], "/")
		if strings.Contains(first, ".") || first == "hookwatch" || first == "os" || first == "fmt" {
			t.Errorf("package %s is initialised before the supervisor", m[1])
		}
	}
}
