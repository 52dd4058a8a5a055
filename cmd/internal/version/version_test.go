package version_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hookwatch/cmd/internal/version"
)

// TestFirst checks that the version is printed before any library is initialised, though
// this test program links some.
func TestFirst(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: self, Args: []string{filepath.FromSlash("/bin/hookwatch"), "--version"}, Env: append(os.Environ(), "GODEBUG=inittrace=1")}
	var out, trace strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if want := "hookwatch version " + version.String() + "\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	for _, m := range regexp.MustCompile(`(?m)^init (\S+) `).FindAllStringSubmatch(trace.String(), -1) {
		if first, _, _ := strings.Cut(m[1], "/"); strings.Contains(first, ".") {
			t.Errorf("package %s is initialised before the version is printed", m[1])
		}
	}
}
