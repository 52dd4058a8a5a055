//go:build !windows

package disk

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestKinds checks that other kinds of files are refused, without waiting for a pipe's
// other end.
func TestKinds(t *testing.T) {
	t.Parallel()
	for kind, make := range map[string]func(path string) error{
		"pipe":      func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"socket":    func(path string) error { l, err := net.Listen("unix", path); closeAtEnd(t, l); return err },
		"directory": func(path string) error { return os.Mkdir(path, 0o755) },
	} {
		for act, do := range acts {
			if kind == "directory" && strings.Contains(act, "directory") {
				continue
			}
			dir, _, _ := scene(t)
			if err := make(filepath.Join(dir.Path(), "x")); err != nil {
				t.Fatal(err)
			}
			if err := do(dir); !IsRefused(err) {
				t.Errorf("%s of a %s: %v", act, kind, err)
			}
			if _, err := (Reader{}).ReadFile(filepath.Join(dir.Path(), "x"), 100); !IsRefused(err) {
				t.Errorf("reading a %s: %v", kind, err)
			}
		}
	}
}

func closeAtEnd(t *testing.T, l net.Listener) {
	if l != nil {
		t.Cleanup(func() { _ = l.Close() })
	}
}

// TestHardLinks checks that files with another name are not appended to.
func TestHardLinks(t *testing.T) {
	t.Parallel()
	dir, _, outside := scene(t)
	if err := os.Link(filepath.Join(outside, "bashrc"), filepath.Join(dir.Path(), "x")); err != nil {
		t.Fatal(err)
	}
	for _, act := range []string{"append", "lock", "read", "touch"} {
		if err := acts[act](dir); !IsRefused(err) {
			t.Errorf("%s: %v", act, err)
		}
	}
	if err := acts["replace"](dir); err != nil { // the other name keeps its content
		t.Error(err)
	}
	untouched(t, dir, outside)
}

// TestReader checks that files in the project are read if they are not hidden.
func TestReader(t *testing.T) {
	t.Parallel()
	dir, base, outside := scene(t)
	link(t, outside, filepath.Join(base, "out"))
	link(t, filepath.Join(base, "results"), filepath.Join(base, "in"))
	link(t, "loop", filepath.Join(base, "loop"))
	write(t, filepath.Join(base, "large"), "123456789")
	hidden := func(path string) Reason {
		if filepath.Base(path) == "bashrc" {
			return Hidden
		}
		return 0
	}
	private := func(path string) Reason {
		if path == filepath.Join(base, "out") { // the link exists only outside
			return Absent
		}
		return 0
	}
	for _, c := range []struct {
		name   string
		r      Reader
		path   string
		reason Reason // 0 means it is read
	}{
		{"plain", Reader{Root: base}, "results/kept", 0},
		{"link inside", Reader{Root: base}, "in/kept", 0},
		{"link out", Reader{Root: base}, "out/bashrc", Outside},
		{"agreed", Reader{Root: base, Agreed: []string{outside}}, "out/bashrc", 0},
		{"anywhere", Reader{}, "out/bashrc", 0},
		{"hidden", Reader{World: hidden}, "out/bashrc", Hidden},
		{"agreed and hidden", Reader{Root: base, Agreed: []string{outside}, World: hidden}, "out/bashrc", Hidden},
		{"through a link that cases lack", Reader{World: private}, "out/bashrc", Absent},
		{"large", Reader{}, "large", Size},
		{"up", Reader{Root: base}, "../outside/bashrc", Outside},
	} {
		_, err := c.r.ReadFile(filepath.Join(base, c.path), 9-int64(boolean(c.reason == Size)))
		var refused *Error
		switch errors.As(err, &refused); {
		case c.reason == 0 && err != nil, c.reason != 0 && (refused == nil || refused.Reason != c.reason):
			t.Errorf("%s: error %v, want reason %d", c.name, err, c.reason)
		}
	}
	for _, device := range []string{"/dev/zero", "/dev/null"} {
		link(t, device, filepath.Join(dir.Path(), filepath.Base(device)))
		if _, err := (Reader{}).ReadFile(filepath.Join(dir.Path(), filepath.Base(device)), 100); !IsRefused(err) {
			t.Errorf("%s: %v", device, err)
		}
	}
	if _, err := (Reader{}).ReadFile(filepath.Join(base, "loop"), 100); err == nil {
		t.Error("a link to itself was read")
	}
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}
