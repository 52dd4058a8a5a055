package version_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"hookwatch/cmd/internal/version"
)

// TestString compares the version with the build information.
func TestString(t *testing.T) {
	t.Parallel()
	want := version.Number
	if info, ok := debug.ReadBuildInfo(); ok {
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		if commit := settings["vcs.revision"]; commit != "" {
			want += " (commit " + commit[:12] + map[string]string{"true": ", modified"}[settings["vcs.modified"]] + ")"
		}
	}
	if got := version.String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

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
		first, _, _ := strings.Cut(m[1], "/")
		if strings.Contains(first, ".") || first == "regexp" || first == "reflect" {
			t.Errorf("package %s is initialised before the version is printed", m[1])
		}
	}
}
