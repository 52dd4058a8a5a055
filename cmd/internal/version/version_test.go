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

// TestSetting compares the settings with those of package debug. Test programs have no commit, but
// other settings.
func TestSetting(t *testing.T) {
	t.Parallel()
	info, ok := debug.ReadBuildInfo()
	if !ok || len(info.Settings) == 0 {
		t.Fatal("no build information")
	}
	for _, s := range info.Settings {
		if got := version.Setting(s.Key); got != s.Value {
			t.Errorf("%s is %q, want %q", s.Key, got, s.Value)
		}
	}
	if got := version.Setting("GO"); got != "" {
		t.Errorf("a setting that is not there is %q", got)
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
