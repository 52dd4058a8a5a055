package process_test

import (
	"bufio"
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hookwatch/suites/process"
)

const ceiling = 2 * time.Minute

// gone waits until no process has the mark in its environment or arguments.
func gone(t *testing.T, mark string) {
	t.Helper()
	deadline := time.Now().Add(ceiling)
	for len(carrying(mark)) > 0 {
		if time.Now().After(deadline) {
			t.Fatalf("still alive: %v", carrying(mark))
		}
		unix.Nanosleep(&unix.Timespec{Nsec: 1e6}, nil)
	}
}

func carrying(mark string) []string {
	var found []string
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		if d == "/proc/"+strconv.Itoa(os.Getpid()) {
			continue
		}
		for _, f := range []string{"environ", "cmdline"} {
			b, _ := os.ReadFile(d + "/" + f)
			if bytes.Contains(b, []byte(mark)) {
				found = append(found, d+" "+string(bytes.ReplaceAll(b, []byte{0}, []byte{' '})))
				break
			}
		}
	}
	return found
}

func TestHostile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		timeout      time.Duration
		check        func(process.Result) bool
	}{
		{"hangs", "sleep 1000", 200 * time.Millisecond, func(r process.Result) bool { return r.TimedOut }},
		{"ignores TERM", "trap '' TERM INT HUP; while :; do sleep 0.1; done", 200 * time.Millisecond,
			func(r process.Result) bool { return r.TimedOut && r.Signal == "SIGKILL" }},
		{"own session in the background", "setsid sleep 1000 & exit 0", 10 * time.Second,
			func(r process.Result) bool { return r.Exit == 0 && slices.Equal(r.LeftBehind, []string{"sleep"}) }},
		{"own session holds the pipes and the time", "setsid sleep 1000 >&2", 200 * time.Millisecond,
			func(r process.Result) bool { return r.TimedOut }},
		{"daemon, twice forked", "(setsid bash -c 'sleep 1000 & exec sleep 1000' &) ; exit 2", 10 * time.Second,
			func(r process.Result) bool { return r.Exit == 2 && len(r.LeftBehind) > 0 }},
		{"kills its parent", "(setsid sleep 1000 &); kill -9 $PPID; sleep 1000", 10 * time.Second,
			func(r process.Result) bool { return r.Signal == "SIGKILL" }},
		{"stops its parent", "kill -STOP $PPID; sleep 1000", 200 * time.Millisecond,
			func(r process.Result) bool { return r.TimedOut && r.Signal == "SIGKILL" }},
		{"floods", "head -c 100000000 /dev/zero; head -c 100000000 /dev/zero >&2", ceiling,
			func(r process.Result) bool {
				return r.Exit == 0 && r.Stdout.Total == 100000000 && r.Stderr.Total == 100000000 &&
					len(r.Stdout.Bytes) == process.DefaultLimit
			}},
		{"forks on and on", "f() { (f &) ; sleep 0.05; }; f; f; sleep 1000", 300 * time.Millisecond,
			func(r process.Result) bool { return r.TimedOut }},
	}
	if err := process.Adopt(); err != nil {
		t.Fatal(err)
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mark := "MARK_" + strconv.Itoa(i) + "_" + strconv.Itoa(os.Getpid())
			r := bash(t, process.Command{Timeout: tt.timeout, Env: env(mark + "=1")}, tt.script)
			if !tt.check(r) {
				t.Errorf("got %+v", r)
			}
			gone(t, mark)
		})
	}
}

// TestDeathOfHookwatch kills a process that is running a hook, and checks that no process
// of the hook remains.
func TestDeathOfHookwatch(t *testing.T) {
	t.Parallel()
	if variant := os.Getenv("PROCESS_TEST_VICTIM"); variant != "" {
		setup := process.Setup{}
		if strings.Contains(variant, "process 1") {
			setup.Steps = []process.Step{{"loopback"}}
		}
		b, err := process.Open(setup)
		if err != nil {
			_ = os.WriteFile(os.Getenv("PROCESS_TEST_FIFO"), []byte(err.Error()+"\n"), 0)
			return
		}
		_, _ = b.Run(t.Context(), process.Command{
			Argv: []string{"bash", "-c", "setsid sleep 1000 & echo up > " + os.Getenv("PROCESS_TEST_FIFO") + "; sleep 1000"}, Dir: "/", Env: env(),
		})
		return
	}
	for _, variant := range []string{"plain", "plain, process 1", "stopped", "stopped, process 1"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			killHookwatch(t, variant)
		})
	}
}

func killHookwatch(t *testing.T, variant string) {
	t.Helper()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), ceiling)
	defer cancel()
	victim := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestDeathOfHookwatch$")
	victim.Env = append(os.Environ(), "PROCESS_TEST_VICTIM="+variant, "PROCESS_TEST_FIFO="+fifo)
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(fifo, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if line, err := bufio.NewReader(f).ReadString('\n'); err != nil || strings.TrimSpace(line) != "up" {
		t.Fatalf("%q, %v", line, err)
	}
	all := below(victim.Process.Pid)
	if len(all) < 3 { // the supervisor, bash or what it became, and the daemon
		t.Fatalf("%v run, want more", all)
	}
	var handles []unix.PollFd
	for pid, name := range all {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Close(fd) }()
		handles = append(handles, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
		if name == "hookwatch-case" && strings.HasPrefix(variant, "stopped") {
			if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = victim.Process.Kill()
	_ = victim.Wait()
	for i := range handles {
		n, err := unix.Poll(handles[i:i+1], int(ceiling.Milliseconds()))
		for err == unix.EINTR { // a signal to the test, such as of the runtime
			n, err = unix.Poll(handles[i:i+1], int(ceiling.Milliseconds()))
		}
		if n != 1 {
			t.Fatalf("of %v, some are left: %v", all, err)
		}
	}
}

// below returns the names of the descendants of a process by PID.
func below(top int) map[int]string {
	all := make(map[int]string)
	files, _ := filepath.Glob("/proc/" + strconv.Itoa(top) + "/task/*/children")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		for field := range strings.FieldsSeq(string(b)) {
			pid, _ := strconv.Atoi(field)
			name, _ := os.ReadFile("/proc/" + field + "/comm")
			all[pid] = strings.TrimSpace(string(name))
			maps.Copy(all, below(pid))
		}
	}
	return all
}

// TestTextFileBusy starts a script that is still open for writing.
func TestTextFileBusy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "saved.sh")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("#!/bin/sh\necho ran\n"); err != nil {
		t.Fatal(err)
	}
	closed := time.AfterFunc(50*time.Millisecond, func() { _ = f.Close() })
	defer closed.Stop()
	r, err := process.Run(context.Background(), process.Command{Argv: []string{path}, Dir: "/", Env: env()})
	if err != nil || string(r.Stdout.Bytes) != "ran\n" {
		t.Errorf("got %+v, %v", r, err)
	}
}
