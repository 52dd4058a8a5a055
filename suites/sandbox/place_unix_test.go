//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/suites"
)

func TestTempNames(t *testing.T) {
	t.Parallel()
	a, b := PlaceOf("/a"), PlaceOf("/b")
	if a == b || a != PlaceOf("/a") {
		t.Errorf("places %v and %v", a, b)
	}
	if filepath.Dir(a.dir) != filepath.Clean(os.TempDir()) {
		t.Errorf("%s is outside the temporary directory", a.dir)
	}
	if _, err := os.Lstat(a.dir); !os.IsNotExist(err) {
		t.Errorf("naming a place made it: %v", err)
	}
}

func TestTempOpen(t *testing.T) {
	t.Parallel()
	place := Place{filepath.Join(t.TempDir(), "place")}
	first, err := place.Open()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{place.dir, first.Dir, first.Keep} {
		if fi, err := os.Stat(dir); err != nil || !fi.IsDir() || fi.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, fi, err)
		}
	}
	file := filepath.Join(first.Dir, "s-A1-1", "tmp")
	kept := filepath.Join(first.Keep, "s-A2")
	for _, dir := range []string{file, kept} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	exists := func(path string) bool { _, err := os.Stat(path); return err == nil }

	second, err := place.Open()
	if err != nil || second.Dir == first.Dir || second.Keep != first.Keep {
		t.Fatalf("opened next to it: %+v, %v", second, err)
	}
	if !exists(file) || !exists(kept) {
		t.Error("a second place cleared files of the first")
	}
	if err := first.lock.Close(); err != nil { // as if a process with this number had been killed
		t.Fatal(err)
	}
	next, err := place.Open()
	if err != nil {
		t.Fatal(err)
	}
	if exists(first.Dir) || !exists(second.Dir) || !exists(kept) || !exists(next.Dir) {
		t.Errorf("leftovers are cleared: %v; others stay: %v; kept sandboxes stay: %v", !exists(first.Dir), exists(second.Dir), exists(kept))
	}

	second.Close()
	next.Close()
	if exists(next.Dir) || !exists(kept) {
		t.Error("closing takes away its own directory, and nothing that is kept")
	}
	if err := os.RemoveAll(kept); err != nil {
		t.Fatal(err)
	}
	last, err := place.Open()
	if err != nil {
		t.Fatal(err)
	}
	last.Close()
	if exists(place.dir) {
		t.Error("an empty place stays behind")
	}
}

// TestTempOfOthers checks that a place in a world-writable directory, which other users may create
// first, is trusted only if it is ours.
func TestTempOfOthers(t *testing.T) {
	t.Parallel()
	dir, target := t.TempDir(), t.TempDir()
	link, file, foreign, wide := filepath.Join(dir, "link"), filepath.Join(dir, "file"), filepath.Join(dir, "foreign"), filepath.Join(dir, "wide")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused := []string{link, file}
	if err := os.Mkdir(foreign, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(foreign, 12345, 12345); err == nil { // only root can
		refused = append(refused, foreign)
	}
	for _, place := range refused {
		_, err := Place{place}.Open()
		if err == nil || !strings.Contains(err.Error(), place+" is not a directory of yours") || !strings.Contains(err.Error(), "TMPDIR") {
			t.Errorf("%s: %v", filepath.Base(place), err)
		}
	}
	if entries, err := os.ReadDir(target); err != nil || len(entries) != 0 {
		t.Errorf("something was made behind the link: %v, %v", entries, err)
	}
	precious := filepath.Join(target, "run-999999999-1")
	for _, dir := range []string{wide, precious} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(target, filepath.Join(wide, "kept")); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[os.FileMode]string{
		0o777: "others can write to it", 0o720: "others can write to it", 0o755: filepath.Join(wide, "kept") + " is not a directory of yours",
	} {
		if err := os.Chmod(wide, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := (Place{wide}).Open(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("mode %o: %v, want %q", mode, err, want)
		}
	}
	if err := errors.Join(os.Remove(filepath.Join(wide, "kept")), os.Chmod(wide, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := (Place{wide}).Open(); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(wide); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("our own stays open to all: %v, %v", fi.Mode(), err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := (Place{wide}).Open(); err == nil || !strings.Contains(err.Error(), "chmod +t") {
		t.Errorf("in a place where others can exchange it: %v", err)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Errorf("deleted behind a link: %v", err)
	}
}

func TestKeepSandbox(t *testing.T) {
	t.Parallel()
	temp, keep := t.TempDir(), t.TempDir()
	c := &suites.Case{Suite: "pm", ID: "P01"}
	k, pool := Kept{keep, 2, 1_000_000}, NewPool(PoolOptions{})
	for _, text := range []string{"first", "second"} {
		dir := filepath.Join(temp, "pm-P01-"+text)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, text), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		o := suites.Outcome{Sandbox: dir}
		kept := k.At(c, o, suites.Verdict{Status: suites.Fail})
		if err := k.Take(func(to string) error { return pool.Keep(dir, to) }, kept); err != nil || kept != filepath.Join(keep, "pm-P01") {
			t.Fatalf("kept %s, %v", kept, err)
		}
		if entries, err := os.ReadDir(kept); err != nil || len(entries) != 1 || entries[0].Name() != text {
			t.Errorf("kept %v, %v, want only what the %s left", entries, err, text)
		}
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is still where it ran: %v", text, err)
		}
	}
	k.Drop(c)
	if entries, _ := os.ReadDir(keep); len(entries) != 0 {
		t.Errorf("kept after it passed: %v", entries)
	}
	gone := filepath.Join(temp, "gone")
	if err := k.Take(func(to string) error { return pool.Keep(gone, to) }, filepath.Join(keep, "pm-P01")); err == nil {
		t.Error("a sandbox that is gone is kept")
	}
}

// TestTempOfTheLiving checks that only files of dead processes are removed.
func TestTempOfTheLiving(t *testing.T) {
	t.Parallel()
	place := Place{filepath.Join(t.TempDir(), "place")}
	if _, err := place.Open(); err != nil {
		t.Fatal(err)
	}
	for name, stays := range map[string]bool{
		fmt.Sprintf("run-%d-1", os.Getppid()): true,
		"run-999999999-1":                     false,
		"run-1x":                              false,
		"kept":                                true,
	} {
		dir := filepath.Join(place.dir, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := place.Open(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); (err == nil) != stays {
			t.Errorf("%s stays: %v, want %v", name, err == nil, stays)
		}
	}
}

// TestKeepMany checks that empty files count in kept sandboxes.
func TestKeepMany(t *testing.T) {
	t.Parallel()
	temp, keep := t.TempDir(), t.TempDir()
	k, pool := Kept{keep, 100_000, 1_000_000}, NewPool(PoolOptions{})
	for i := range 5 {
		c := &suites.Case{Suite: "pm", ID: fmt.Sprintf("P%02d", i)}
		dir := filepath.Join(temp, c.ID)
		for n := range 100 {
			if err := os.MkdirAll(filepath.Join(dir, fmt.Sprint(n)), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := k.Take(func(to string) error { return pool.Keep(dir, to) }, k.path(c)); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(keep)
	if err != nil || len(entries) != 2 { // each has 101 directories; a megabyte is enough for 244
		t.Errorf("%d sandboxes are kept, want 2: %v", len(entries), err)
	}
}

// TestKeepNoRights checks that files of a kept sandbox lose the right to run as their owner, and that a
// file that has another name outside keeps it there.
func TestKeepNoRights(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	outside := filepath.Join(temp, "outside")
	for name, keep := range map[string]func(dir, to string) error{
		"moved":  func(dir, to string) error { return NewPool(PoolOptions{}).Keep(dir, to) },
		"copied": func(dir, to string) error { return new(copier).Tree(dir, to) },
	} {
		dir, to := filepath.Join(temp, name), filepath.Join(temp, name+"-kept")
		file := filepath.Join(dir, "d", "f")
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o600), os.WriteFile(outside, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		const all = os.ModeSetuid | os.ModeSetgid | 0o755
		if err := errors.Join(os.Chmod(file, all), os.Chmod(filepath.Dir(file), all), os.Chmod(outside, all), os.Link(outside, filepath.Join(dir, "linked"))); err != nil {
			t.Fatal(err)
		}
		if err := keep(dir, to); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"d", "d/f", "linked"} {
			if fi, err := os.Lstat(filepath.Join(to, path)); err == nil && fi.Mode().Perm() != 0o755 || err == nil && fi.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 || err != nil && path != "linked" {
				t.Errorf("%s: %s: %v, %v", name, path, fi, err)
			}
		}
		if fi, err := os.Lstat(outside); err != nil || fi.Mode() != all {
			t.Errorf("%s: outside: %v, %v", name, fi, err)
		}
	}
}
