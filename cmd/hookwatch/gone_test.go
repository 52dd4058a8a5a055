//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// TestProjectGone checks that a session runs nothing and reports it if its project was renamed or
// deleted, and continues once the project is back.
func TestProjectGone(t *testing.T) {
	t.Parallel()
	w := watch(t, newSmall(t, 1))
	w.rested()
	for n, away := range []struct {
		name      string
		goes      func() error
		comesBack func() error
	}{
		{"renamed", func() error { return os.Rename(w.root, w.root+" away") }, func() error { return os.Rename(w.root+" away", w.root) }},
		{"deleted", func() error {
			if err := atLength(func() error { return copyOf(w.root) }); err != nil {
				return err
			}
			return atLength(func() error { return os.RemoveAll(w.root) })
		}, func() error { return os.Rename(w.root+" copy", w.root) }},
	} {
		if err := away.goes(); err != nil {
			t.Fatal(err)
		}
		w.warned(w.root + " is gone: nothing is run until it is there again")
		if err := away.comesBack(); err != nil {
			t.Fatal(err)
		}
		for _, e := range w.warned(w.root + " is there again") {
			if e.Event == "case" {
				t.Errorf("%s: %s ran while there was no project", away.name, e.Record.ID)
			}
		}
		w.replace(smallHook, fmt.Sprintf("#!/bin/bash\nexit %d\n", 1-n))
		w.verdict("A1", n == 1)
	}
	w.quit()
}

// copyOf copies a directory to one next to it.
func copyOf(dir string) error {
	if err := os.RemoveAll(dir + " copy"); err != nil {
		return err
	}
	if out, err := exec.Command("cp", "-a", dir, dir+" copy").CombinedOutput(); err != nil {
		return fmt.Errorf("cp: %w\n%s", err, out)
	}
	return nil
}

// atLength repeats an action that fails while the end of a run is written.
func atLength(try func() error) error {
	var err error
	for range 100 {
		if err = try(); err == nil {
			break
		}
	}
	return err
}

// TestConfigurationGone checks that the session reports a missing configuration, and its return.
func TestConfigurationGone(t *testing.T) {
	t.Parallel()
	w := watch(t, newSmall(t, 1))
	w.rested()
	file, away := w.path(".hookwatch.yaml"), w.path("away.yaml")
	if err := os.Rename(file, away); err != nil {
		t.Fatal(err)
	}
	w.warned(".hookwatch.yaml is gone: the defaults count until it is there again")
	if err := os.Rename(away, file); err != nil {
		t.Fatal(err)
	}
	w.warned(".hookwatch.yaml counts from now on")
	w.replace(smallHook, "#!/bin/bash\nexit 1\n")
	w.verdict("A1", false)
	w.quit()
}
