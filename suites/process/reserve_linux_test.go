package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"hookwatch/suites/process/supervisor"
)

func TestReserve(t *testing.T) {
	t.Parallel()
	r := new(Reserve)
	r.size = 1
	r.coming = 1
	r.add()
	if len(r.ready) != 1 || r.coming != 0 {
		t.Fatalf("%d ready, %d coming", len(r.ready), r.coming)
	}
	first := r.ready[0]
	b, err := r.Open(Setup{})
	if err != nil || b != first {
		t.Fatalf("not the one that was ready: %v", err)
	}
	wantRuns(t, b)

	r.Close()

	r = &Reserve{size: 1, coming: 1}
	r.add()
	dead := r.ready[0]
	if err := dead.process.Kill(); err != nil {
		t.Fatal(err)
	}
	for range dead.answers { // until its end is noticed
	}
	b, err = r.Open(Setup{})
	if err != nil || b == dead {
		t.Fatalf("a dead supervisor was handed out: %v", err)
	}
	wantRuns(t, b)
	r.Close()
}

func wantRuns(t *testing.T, b *Supervisor) {
	t.Helper()
	defer b.Close()
	res, err := b.Run(context.Background(), Command{Argv: []string{"/bin/sh", "-c", "exit 3"}})
	if err != nil || res[0].Exit != 3 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestReserveClosed(t *testing.T) {
	t.Parallel()
	r := &Reserve{size: 1, coming: 1}
	r.Close()
	r.add()
	if len(r.ready) != 0 {
		t.Error("a closed reserve keeps a supervisor")
	}
}

// TestReserveShrinks checks that surplus supervisors end, and that one that becomes ready
// too late is not kept.
func TestReserveShrinks(t *testing.T) {
	t.Parallel()
	r := &Reserve{size: 2, coming: 3}
	r.add()
	r.add()
	surplus := r.ready[1]
	r.Resize(1)
	for range surplus.answers { // until its end is noticed
	}
	r.add()
	if len(r.ready) != 1 || r.coming != 0 || !r.ready[0].alive() {
		t.Errorf("%d ready, %d coming", len(r.ready), r.coming)
	}
	r.Close()
}

// TestReserveRefills checks that the next supervisor is started when a supervisor is closed, or, if
// none is ready for another case, once its commands have started.
func TestReserveRefills(t *testing.T) {
	t.Parallel()
	for size, early := range map[int]int{1: 1, 2: 0} {
		r := &Reserve{size: size, coming: size}
		for range size {
			r.add()
		}
		b, err := r.Open(Setup{})
		if err != nil {
			t.Fatal(err)
		}
		started := func() int {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.coming + len(r.ready) - (size - 1)
		}
		if n := started(); n != 0 {
			t.Errorf("of %d: %d started before the commands", size, n)
		}
		if _, err := b.Run(context.Background(), Command{Argv: []string{"/bin/sh", "-c", "exit 3"}}); err != nil {
			t.Fatal(err)
		}
		if n := started(); n != early {
			t.Errorf("of %d: %d started once the commands had, want %d", size, n, early)
		}
		b.Close()
		if n := started(); n != 1 {
			t.Errorf("of %d: %d started when the supervisor was closed, want 1", size, n)
		}
		r.Close()
	}
}

// TestSpawner starts confined supervisors until a spawner starts them, which must make them our
// children. It then kills the spawner, which must have no effect.
func TestSpawner(t *testing.T) {
	t.Parallel()
	needsNamespaces(t)
	r := &Reserve{spawner: new(spawner)}
	defer r.spawner.end()
	defer r.Close()
	setup := Setup{Steps: []Step{{"loopback"}}}
	opened := func() *Supervisor {
		t.Helper()
		b, err := r.Open(setup)
		if err != nil {
			t.Fatal(err)
		}
		if parent, session, ok := stat(b.process.Pid); !ok || parent != os.Getpid() || session != b.process.Pid {
			t.Errorf("supervisor %d: parent %d, session %d, want %d and its own", b.process.Pid, parent, session, os.Getpid())
		}
		return b
	}
	for i := range spawnAfter + 2 {
		wantRuns(t, opened())
		if began := r.spawner.conn != nil; began != (i >= spawnAfter) {
			t.Fatalf("after %d supervisors: a spawner runs: %v", i+1, began)
		}
	}
	if err := r.spawner.process.Kill(); err != nil {
		t.Fatal(err)
	}
	wantRuns(t, opened())
	wantRuns(t, opened())
	if !r.spawner.gone {
		t.Error("a killed spawner is asked again")
	}
}

// TestSpawnerErrors checks that a refusal has the same error with and without a spawner.
func TestSpawnerErrors(t *testing.T) {
	t.Parallel()
	needsNamespaces(t)
	r := &Reserve{spawner: &spawner{direct: spawnAfter}}
	defer r.Close()
	sys := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 0}}}
	ours, theirs, err := socket()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	defer theirs.Close()
	_, direct := startSelf(supervisor.Argv, supervisor.Environment, sys, theirs)
	_, spawned, ok := r.spawner.start(sys, theirs)
	if !ok || spawned == nil || direct == nil || spawned.Error() != direct.Error() {
		t.Errorf("spawned: %v (%v), directly: %v", spawned, ok, direct)
	}
}

func needsNamespaces(t *testing.T) {
	t.Helper()
	b, err := Open(Setup{Steps: []Step{{"loopback"}}})
	if err != nil {
		t.Skipf("needs user namespaces: %v", err)
	}
	b.Close()
}

// TestFullStorage checks that a step fails whose content does not fit, of which the kernel writes a part.
func TestFullStorage(t *testing.T) {
	t.Parallel()
	needsNamespaces(t)
	dir := t.TempDir()
	content, file := strings.Repeat("x", 3*os.Getpagesize()), dir+"/f"
	for name, steps := range map[string][]Step{
		"file": {{supervisor.File, file, "600", "0", content}},
		"put":  {{supervisor.Blank, file}, {supervisor.Put, file, content}},
	} {
		b, err := Open(Setup{Steps: append([]Step{{supervisor.Mount, "tmpfs", dir, "tmpfs", "0", fmt.Sprint("size=", 2*os.Getpagesize())}}, steps...)})
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: %v, want no space", name, err)
		}
		if err == nil {
			b.Close()
		}
	}
}
