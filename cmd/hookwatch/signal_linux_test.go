package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestFirstSignal: whatever a command is about when the first signal comes, it ends
// at once, with 130. Most of them read a large tree then, of which a pattern of the
// configuration takes every file.
func TestFirstSignal(t *testing.T) {
	t.Parallel()
	root := newReference(t)
	large := makeLarge(t)
	writeFiles(t, root, map[string]string{".hookwatch.yaml": "verify: off\nspecs: [\"" + large + "/**/*.md\"]\n"})
	if out, err := program(t, root, "trust", "--yes").CombinedOutput(); err != nil {
		t.Fatalf("hookwatch trust: %v\n%s", err, out)
	}
	for _, args := range [][]string{nil, {"--once"}, {"list"}, {"why"}, {"verify"}, {"run", "P01"}, {"coverage"}, {"doctor"}} {
		t.Run("hookwatch "+strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			cmd := program(t, root, args...)
			cmd.Env = append(cmd.Env, "HOOKWATCH_RESULTS_DIR="+t.TempDir())
			start(t, cmd)
			reads(t, cmd, large)
			interrupted(t, cmd)
		})
	}
}

// TestFirstSignalWhileWaiting interrupts a command that waits for input of the user.
func TestFirstSignalWhileWaiting(t *testing.T) {
	t.Parallel()
	root := newReference(t)
	for _, args := range [][]string{{"fire", "PreToolUse", "Bash", "--payload", "-"}, {"explain", "-"}} {
		in, typed, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer typed.Close()
		cmd := program(t, root, args...)
		cmd.Stdin = in
		start(t, cmd)
		_ = in.Close()
		// More than a pipe holds: all of it is taken once the command reads.
		if _, err := typed.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
		interrupted(t, cmd)
	}
}

// makeLarge makes a tree that takes seconds to read. It is in memory if possible, because a disk
// takes half a minute to create it.
func makeLarge(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "hookwatch-large-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	large := filepath.Join(dir, "large")
	for i := range 60 {
		for j := range 600 {
			if err := os.MkdirAll(filepath.Join(large, fmt.Sprint(i), fmt.Sprint(j), "deep"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	return large
}

func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("it said:\n%.2000s", said.String())
		}
	})
}

// reads waits until a process has a directory below large open.
func reads(t *testing.T, cmd *exec.Cmd, large string) {
	t.Helper()
	for limit := time.Now().Add(ceiling); time.Now().Before(limit); {
		links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", cmd.Process.Pid))
		for _, l := range links {
			if to, err := os.Readlink(l); err == nil && strings.HasPrefix(to, large) {
				return
			}
		}
	}
	t.Fatal("it does not read the tree")
}

// interrupted sends a signal, and expects that it ends the process as it ends others.
func interrupted(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 130 {
			t.Errorf("it ended with %v, want exit status 130", err)
		}
	case <-time.After(ceiling):
		t.Error("it goes on")
	}
}
