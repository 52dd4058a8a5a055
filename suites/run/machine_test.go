//go:build unix

package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMachine checks that the programs of the machine are distinguished from those that came with a
// project, whichever way a search path leads to the latter.
func TestMachine(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(top, name) }
	program := func(name string) {
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"repo/.git/HEAD", "repo/sub/project/node_modules/.bin/jq", "repo/bin/jq", "repo/sub/project/.venv/bin/jq", "usr/bin/jq", "opt/bin/jq"} {
		program(name)
	}
	for link, target := range map[string]string{
		"linked": "repo/bin", "usr/bin/git": at("repo/bin/jq"), "opt/bin/git": "jq", "named": "repo/sub/project",
	} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	path := []string{"", ".", "node_modules/.bin", "..", at("repo/bin"), at("linked"), at("named/.venv/bin"), at("usr/bin") + "/", at("usr/../opt/bin")}
	for _, root := range []string{"repo/sub/project", "named"} {
		m := NewMachine(at(root), []string{"PATH=" + strings.Join(path, ":")})
		if want := []string{at("usr/bin"), at("opt/bin")}; !slices.Equal(m.dirs, want) {
			t.Errorf("%s: of the machine: %q, want %q", root, m.dirs, want)
		}
		for name, want := range map[string]bool{
			"usr/bin/jq": true, "opt/bin/jq": true, "opt/bin/git": true, "usr/bin/git": false, "repo/bin/jq": false, "linked/jq": false,
			"repo/sub/project/node_modules/.bin/jq": false, "named/.venv/bin/jq": false, "elsewhere/jq": false,
		} {
			if got := m.Has(at(name)); got != want {
				t.Errorf("%s: %s is the machine's: %v, want %v", root, name, got, want)
			}
		}
	}
}

// TestMachineAsks checks that a program of the machine starts in a directory outside any project,
// and finds no program of one.
func TestMachineAsks(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	m := NewMachine(root, []string{"PATH=" + filepath.Join(root, "bin") + "::/usr/bin:/bin:relative", "X=1"})
	res, err := m.Ask(t.Context(), []string{"/bin/sh", "-c", "pwd; echo $PATH $X"})
	if err != nil || string(res.Stdout.Bytes) != "/\n/usr/bin:/bin 1\n" {
		t.Errorf("%q, %v, %v", res.Stdout.Bytes, res.StartError, err)
	}
}
