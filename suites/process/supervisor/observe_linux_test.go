package supervisor_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hookwatch/suites/process/supervisor"
)

func TestCleaned(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/", "//", "/a", "/a/", "/a//b/./c", "/a/../b", "/../a", "/a/b/../..", "/.a/..b/...", "/a/./.."} {
		if got, want := supervisor.Cleaned(path), filepath.Clean(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

func FuzzCleaned(f *testing.F) {
	f.Add("a/../b//./c/")
	f.Fuzz(func(t *testing.T, path string) {
		if len(path) >= 4096 || strings.Contains(path, "\x00") {
			t.Skip()
		}
		path = "/" + path
		clean := supervisor.Cleaned(path)
		if want := filepath.Clean(path); clean != want {
			t.Errorf("%q: %q, want %q", path, clean, want)
		}
		if at := supervisor.Slash(clean); clean != "/" && filepath.Dir(clean) != clean[:max(1, at)] {
			t.Errorf("%q: the parent is %q", clean, clean[:max(1, at)])
		}
		_ = supervisor.ThroughProc(path)
	})
}

func TestInterpreter(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"#!/bin/sh\necho":       "/bin/sh",
		"#! \t/usr/bin/env sh":  "/usr/bin/env",
		"#!/bin/bash -eu\n":     "/bin/bash",
		"#!bin/x":               "bin/x",
		"#!":                    "",
		"#!\n":                  "",
		"\x7fELF":               "",
		"":                      "",
		"#":                     "",
		"#!/bin/sh\x00 garbage": "/bin/sh",
	} {
		if got := supervisor.Interpreter(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func FuzzInterpreter(f *testing.F) {
	f.Add("#!/bin/sh -e\n")
	f.Fuzz(func(t *testing.T, line string) {
		if name := supervisor.Interpreter(line); strings.ContainsAny(name, " \t\n\x00") || !strings.Contains(line, name) {
			t.Errorf("%q: %q", line, name)
		}
	})
}

func TestThroughProc(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/proc/self/cwd/x": true, "/proc/12/root/etc": true, "/proc/self/fd/3/x": true, "/dev/fd/3/x": true, "/proc/self/task/7/cwd/x": true,
		"/proc/self/cwd": false, "/proc/self/fd/3": false, "/dev/fd/3": false, "/dev/null": false, "/proc/self/status": false, "/proc": false, "": false,
		"/project/cwd/x": false, "/proc/self/cwd/": false,
	} {
		if got := supervisor.ThroughProc(path); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}

// TestRules checks that the rule of the innermost directory applies.
func TestRules(t *testing.T) {
	t.Parallel()
	rule := supervisor.NewObserver("-/usr", "+/usr/src/p", "~/tmp", "+/tmp/p", "~/tmp/p/case").Rule
	for path, want := range map[string]rune{
		"/usr/lib/x": supervisor.Drop, "/usr": supervisor.Drop, "/usrx": supervisor.Keep, "/usr/src/p/x": supervisor.Keep, "/usr/src/px": supervisor.Drop, "/tmp/x": supervisor.Follow, "/tmp/p/x": supervisor.Keep,
		"/tmp/p/case/x": supervisor.Follow, "/home/x": supervisor.Keep, "/": supervisor.Keep,
	} {
		if got := rule(path); got != want {
			t.Errorf("%s: %c, want %c", path, got, want)
		}
	}
}

// TestBounds checks that a record with too many paths is not complete, and uses no more memory.
func TestBounds(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{"many": "/none/", "long": "/none" + strings.Repeat("/0123456789", 300)} {
		o := supervisor.NewObserver()
		for i := range supervisor.PathsAtMost + 100 {
			o.Open(dir+strconv.Itoa(i), 0)
		}
		record, size := o.Record()
		for path := range record {
			size += len(path)
		}
		if record[""] == "" || len(record) > supervisor.PathsAtMost+1 || size > 2*supervisor.BytesAtMost {
			t.Errorf("%s: %q, %d paths, %d bytes", name, record[""], len(record), size)
		}
	}
}

// TestKnown checks that the use of a known path allocates nothing, because garbage collection is
// off.
func TestKnown(t *testing.T) {
	o, path := supervisor.NewObserver(), t.TempDir()
	o.Open(path, os.O_RDONLY)
	if n := testing.AllocsPerRun(100, func() { o.Open(path, os.O_RDONLY) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestOpened checks which uses an open is, by its flags.
func TestOpened(t *testing.T) {
	t.Parallel()
	const pathOnly = 0x200000
	for _, tt := range []struct {
		flags           int
		existing, fresh string // uses of a path that exists, and of one that does not
	}{
		{os.O_RDONLY, "od", "od"},
		{pathOnly, "a", "a"},
		{os.O_WRONLY, "w", "a"},
		{os.O_RDWR, "odw", "od"},
		{os.O_RDONLY | os.O_CREATE, "od", "c"},
		{os.O_WRONLY | os.O_CREATE, "w", "c"},
		{os.O_RDWR | os.O_CREATE, "odw", "c"},
		{os.O_WRONLY | os.O_CREATE | os.O_TRUNC, "w", "c"},
		{os.O_WRONLY | os.O_CREATE | os.O_APPEND, "w", "c"},
		{os.O_RDONLY | os.O_TRUNC, "w", "a"},
		{os.O_RDWR | os.O_CREATE | os.O_EXCL, "aw", "ac"},
	} {
		dir := t.TempDir()
		for path, want := range map[string]string{dir: tt.existing, dir + "/x": tt.fresh, dir + "/no/x": strings.Replace(tt.fresh, "c", "w", 1)} {
			o := supervisor.NewObserver()
			o.Open(path, tt.flags)
			if record, _ := o.Record(); record[path] != want {
				t.Errorf("flags %o of %s: %q, want %q", tt.flags, path, record[path], want)
			}
		}
	}
}
