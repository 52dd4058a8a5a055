//go:build linux

package supervisor_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookwatch/suites/process/supervisor"
)

// ceiling is far above the time of any step.
const ceiling = 5 * time.Minute

// A talk is a conversation with a supervisor in a process of its own. Coverage does not
// include it, because it ends without the runtime.
type talk struct {
	t    *testing.T
	cmd  *exec.Cmd
	conn *net.UnixConn
}

func start(t *testing.T) *talk {
	t.Helper()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	defer ours.Close()
	defer theirs.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		t.Fatal(err)
	}
	s := &talk{t, exec.CommandContext(t.Context(), "/proc/self/exe"), conn.(*net.UnixConn)}
	s.cmd.Env, s.cmd.ExtraFiles = []string{supervisor.Env + "=1"}, []*os.File{theirs} // the first is ControlFD
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(ceiling))
	t.Cleanup(func() { _ = conn.Close(); _ = s.cmd.Wait() })
	return s
}

// say sends a request, with descriptors.
func (s *talk) say(files []int, fields ...string) {
	s.t.Helper()
	var oob []byte
	if len(files) > 0 {
		oob = syscall.UnixRights(files...)
	}
	if _, _, err := s.conn.WriteMsgUnix(supervisor.Encode(fields...), oob, nil); err != nil {
		s.t.Fatal(err)
	}
}

// hear waits for the next answer.
func (s *talk) hear() []string {
	s.t.Helper()
	var head [4]byte
	if _, err := io.ReadFull(s.conn, head[:]); err != nil {
		s.t.Fatal(err)
	}
	body := make([]byte, supervisor.Length(head))
	if _, err := io.ReadFull(s.conn, body); err != nil {
		s.t.Fatal(err)
	}
	fields, ok := supervisor.Decode(body)
	if !ok {
		s.t.Fatalf("a broken answer: %q", body)
	}
	return fields
}

// hears waits for the next answer, which must be the given one.
func (s *talk) hears(want ...string) {
	s.t.Helper()
	if got := s.hear(); !slices.Equal(got, want) {
		s.t.Fatalf("the answer is %q, want %q", got, want)
	}
}

// fire starts a command for each argument list, all without input or output.
func (s *talk) fire(dir string, grace int, commands ...[]string) {
	s.t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer null.Close()
	m := []string{supervisor.Fire, strconv.Itoa(grace), strconv.Itoa(len(commands))}
	var files []int
	for _, argv := range commands {
		m = append(append(m, dir, strconv.Itoa(len(argv))), argv...)
		m = append(m, "1", "PATH=.:/usr/bin:/bin")
		files = append(files, int(null.Fd()), int(null.Fd()), int(null.Fd()))
	}
	s.say(files, m...)
}

func TestFiles(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := filepath.Join(t.TempDir(), "a", "b")
	enoent, eisdir := strconv.Itoa(int(syscall.ENOENT)), strconv.Itoa(int(syscall.EISDIR))
	for _, tt := range []struct{ request, want []string }{
		{[]string{supervisor.Write, path, "600", "text"}, []string{supervisor.Reply, "0", ""}},
		{[]string{supervisor.Read, path, "100"}, []string{supervisor.Reply, "0", "text"}},
		{[]string{supervisor.Write, path, "640", ""}, []string{supervisor.Reply, "0", ""}},
		{[]string{supervisor.Read, path, "100"}, []string{supervisor.Reply, "0", ""}},
		{[]string{supervisor.Read, path + "c", "100"}, []string{supervisor.Reply, enoent, ""}},
		{[]string{supervisor.Read, filepath.Dir(path), "100"}, []string{supervisor.Reply, eisdir, ""}},
	} {
		s.say(nil, tt.request...)
		if got := s.hear(); !slices.Equal(got, tt.want) {
			t.Errorf("%q is answered by %q, want %q", tt.request, got, tt.want)
		}
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v, want mode 640", fi, err)
	}
}

// TestFire starts three commands concurrently, then one that leaves a process behind, then
// one that must be killed.
func TestFire(t *testing.T) {
	t.Parallel()
	s, dir := start(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "own"), []byte("#!/bin/sh\nexit 4\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.fire(dir, 100, []string{"sh", "-c", "exit 3"}, []string{"own"}, []string{"not-there"}, nil)
	got := []string{}
	for range 5 {
		got = append(got, strings.Join(s.hear(), " "))
	}
	if i := slices.Index(got, supervisor.Started); i != 2 {
		t.Errorf("answers %q, want the start after what could not be started", got)
	}
	slices.Sort(got)
	want := []string{"exited 0 0 768", "exited 1 0 1024", fmt.Sprint("exited 2 ", int(syscall.ENOENT), " 0"), fmt.Sprint("exited 3 ", int(syscall.EINVAL), " 0"), supervisor.Started}
	if !slices.Equal(got, want) {
		t.Errorf("answers %q, want %q", got, want)
	}
	if got := s.hear(); !slices.Equal(got, []string{supervisor.Done, "0", "0", "0"}) {
		t.Errorf("in the end %q", got)
	}

	s.fire(dir, 0, []string{"sh", "-c", "setsid sleep 1000 & exit 0"})
	s.hears(supervisor.Started)
	if got := s.hear(); !slices.Equal(got, []string{supervisor.Exited, "0", "0", "0"}) {
		t.Errorf("a command that leaves something behind: %q", got)
	}
	if got := s.hear(); len(got) != 5 || got[0] != supervisor.Done || got[1] != "1" {
		t.Errorf("one process was left behind, but the report is %q", got)
	}

	s.fire(dir, 0, []string{"sleep", "1000"}, []string{"sleep", "1001"})
	s.hears(supervisor.Started)
	for _, i := range []string{"1", "-1"} {
		s.say(nil, supervisor.Kill, i)
		if got := s.hear(); got[0] != supervisor.Exited || got[3] != strconv.Itoa(int(syscall.SIGKILL)) {
			t.Errorf("kill %s: %q", i, got)
		}
	}
	if got := s.hear(); got[0] != supervisor.Done {
		t.Errorf("in the end %q", got)
	}
}

// TestEnd checks that everything that was started ends if the socket is closed.
func TestEnd(t *testing.T) {
	t.Parallel()
	s, dir := start(t), t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pid"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.fire(dir, 0, []string{"sh", "-c", "trap '' TERM HUP; echo $$ > pid; sleep 1000; :"})
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	_ = s.conn.Close()
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the supervisor ends with %v", err)
	}
	if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
		t.Errorf("what it started is there: %v", err)
	}
}

// TestBroken checks that an invalid request ends the supervisor.
func TestBroken(t *testing.T) {
	t.Parallel()
	for _, request := range [][]byte{
		supervisor.Encode(supervisor.Fire, "x", "1"),
		supervisor.Encode(supervisor.Fire, "0", "1", "/", "0", "0"), // no descriptors
		{255, 255, 255, 255},
		{4, 0, 0, 0, 9, 0, 0, 0},
	} {
		s := start(t)
		if _, err := s.conn.Write(request); err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(s.conn); err != nil || len(b) > 0 {
			t.Errorf("%q is answered by %q, %v", request, b, err)
		}
	}
}
