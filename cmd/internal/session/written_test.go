package session

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
)

// TestForgetFiles checks that the state of files is discarded with them.
func TestForgetFiles(t *testing.T) {
	t.Parallel()
	own := newWritten()
	for _, path := range []string{"a", "b"} {
		own.touches[path], own.files[path], own.rechecked[path] = 1, true, 1
	}
	own.forget([]string{"b", "c"})
	one := map[string]int{"b": 1}
	equal(t, "left", written{touches: one, files: map[string]bool{"b": true}, rechecked: one}, own, cmp.AllowUnexported(written{}))
}

// TestWritten checks that a file that changes during several cases in a row counts as written by
// the hooks, is reported after quiet runs confirm it, and is never a file that defines the
// project.
func TestWritten(t *testing.T) {
	t.Parallel()
	own, touched := newWritten(), 0
	matters := func(path string) bool { return path == "hook.sh" }
	touch := func() { touched += len(own.Touch([]string{"log", "hook.sh"}, matters)) }
	for range maxTouches - 1 {
		touch()
	}
	if own.IsWritten("log") {
		t.Error("found too soon")
	}
	for n := range maxRechecks {
		touch()
		if !own.IsWritten("log") || touched > 0 {
			t.Errorf("after %d rechecks: found %v, touched %d times", n, own.IsWritten("log"), touched)
		}
		if again := own.recheck(); len(again) != 1 || own.IsWritten("log") {
			t.Errorf("recheck %d takes back %v", n, again)
		}
	}
	touch()
	if again := own.recheck(); touched != 1 || len(again) > 0 {
		t.Errorf("at last: touched %d times, retracted %v", touched, again)
	}
	for file, want := range map[string]bool{"log": true, "hook.sh": false} {
		equal(t, file+" is written by hooks", want, own.IsWritten(file))
	}
	in := []suites.Input{{Path: "a"}, {Path: "log"}}
	equal(t, "without it", []suites.Input{{Path: "a"}}, own.Exclude(in))
	equal(t, "the given inputs", []suites.Input{{Path: "a"}, {Path: "log"}}, in)
}
