package run_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"hookwatch/suites/isolate"
	"hookwatch/suites/run"
)

func init() {
	attacks["serving"] = serving
	attacks["dialing"] = dialing
}

// TestSocketsOutside: however a service bound its socket, no case gets to it.
func TestSocketsOutside(t *testing.T) {
	t.Parallel()
	dir := besideThisFile(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		bound string
		flags uintptr
	}{
		"by its path":                  {filepath.Join(dir, "plain"), 0},
		"by an unclean path":           {dir + "/.//x/../unclean", 0},
		"by a relative path":           {"relative", 0},
		"in another network namespace": {filepath.Join(dir, "apart"), unix.CLONE_NEWUSER | unix.CLONE_NEWNET},
		"relative, in another":         {"./relative apart", unix.CLONE_NEWUSER | unix.CLONE_NEWNET},
		"through a link":               {filepath.Join(dir, "link/linked"), 0},
	} {
		if err := os.MkdirAll(filepath.Join(dir, "x"), 0o755); err != nil {
			t.Fatal(err)
		}
		_ = os.Symlink(".", filepath.Join(dir, "link"))
		cmd := exec.Command(self)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), attackVariable+"=serving", "AT="+tt.bound)
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: tt.flags}
		ready, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Skipf("%s: user namespaces are needed: %v", name, err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		if _, err := fmt.Fscanln(ready, new(string)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		at := tt.bound
		if !filepath.IsAbs(at) {
			at = filepath.Join(dir, at)
		}
		_, r := chosen(t, isolate.Namespaces, func(_ *run.Options, i *isolate.Options) { i.Shown = []string{self} })
		c := doing(attackVariable + `=dialing "$SELF"`)
		c.Env["AT"], c.Env["SELF"] = at, self
		o, err := r.Case(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(o.Last().Stdout); got != "refused\n" {
			t.Errorf("%s: %q, %s", name, got, o.Last().Stderr)
		}
		if err := r.Remove(o); err != nil {
			t.Error(err)
		}
	}
}

func serving() {
	l, err := net.Listen("unix", os.Getenv("AT"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ready")
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		_ = c.Close()
	}
}

func dialing() {
	if err := os.Chdir(filepath.Dir(os.Getenv("AT"))); err != nil { // a long path has no room in an address
		fmt.Println(err)
		return
	}
	if _, err := net.Dial("unix", filepath.Base(os.Getenv("AT"))); err != nil {
		fmt.Println("refused")
		return
	}
	escaped("to a service")
}
