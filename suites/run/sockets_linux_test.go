package run_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hookwatch/suites/process/testdata/processtest"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

func init() {
	attacks["serving"] = serving
	attacks["reaching"] = reaching
}

// A machine is a directory of a test with the sockets and pipes of the machine's services.
type machine struct {
	t    *testing.T
	dir  string   // next to this file: neither in the project nor in a private place
	home string   // of the cases
	at   []string // sockets and pipes through which a case must not reach a service
	git  string   // content of the project's file .git; "": none
}

// listen binds a socket that every user may connect to, in this process.
func (m *machine) listen(path string) string {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	l, err := listenAt(path)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = l.Close(); _ = os.Remove(path) })
	m.at = append(m.at, path)
	return path
}

// listenAt binds to the name in the directory, because an address has no room for a long path.
func listenAt(path string) (net.Listener, error) {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	l, err := net.Listen("unix", fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path)))
	if err != nil {
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	return l, os.Chmod(path, 0o666)
}

// serve lets another process bind a socket in the directory, with clone flags.
func (m *machine) serve(bound string, flags uintptr) {
	m.t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), attackVariable+"=serving", "AT="+bound)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	ready, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		m.t.Skipf("user namespaces are needed: %v", err)
	}
	m.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if _, err := fmt.Fscanln(ready, new(string)); err != nil {
		m.t.Fatalf("%s: %v", bound, err)
	}
	if !filepath.IsAbs(bound) {
		bound = filepath.Join(m.dir, bound)
	}
	m.at = append(m.at, bound)
}

// pipe creates a pipe that a service reads, and returns a function that returns what it has read.
func (m *machine) pipe(path string) func() string {
	m.t.Helper()
	if err := errors.Join(syscall.Mkfifo(path, 0o666), os.Chmod(path, 0o666)); err != nil {
		m.t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = f.Close() })
	m.at = append(m.at, path)
	return func() string {
		b := make([]byte, 100)
		n, err := unix.Read(int(f.Fd()), b)
		if n < 0 || err != nil {
			return ""
		}
		return string(b[:n])
	}
}

// renamed renames a socket, which removes it from every list of names.
func (m *machine) renamed(from, to string) {
	m.t.Helper()
	if err := os.Rename(filepath.Join(m.dir, from), filepath.Join(m.dir, to)); err != nil {
		m.t.Fatal(err)
	}
	for i, at := range m.at {
		if rest, ok := strings.CutPrefix(at, filepath.Join(m.dir, from)); ok {
			m.at[i] = filepath.Join(m.dir, to) + rest
		}
	}
}

// usual binds the sockets that exist on desktops and development machines.
func (m *machine) usual(uid int) {
	for _, path := range []string{
		fmt.Sprintf("/run/user/%d/bus", uid), fmt.Sprintf("/run/user/%d/systemd/private", uid), "/run/hookwatch-test/docker.sock",
		fmt.Sprintf("/tmp/ssh-hookwatch%d/agent.1", os.Getpid()), fmt.Sprintf("/tmp/.X11-unix/X%d", os.Getpid()),
		filepath.Join(m.home, ".gnupg/S.gpg-agent"), filepath.Join(m.home, ".docker/run/docker.sock"), filepath.Join(m.home, ".ssh/agent.sock"),
	} {
		there := filepath.Dir(path)
		for _, err := os.Lstat(there); err != nil; _, err = os.Lstat(there) {
			there = filepath.Dir(there)
		}
		if unix.Access(there, unix.W_OK) != nil {
			continue // another user's
		}
		if _, err := os.Lstat(path); err == nil {
			continue // the machine's own
		}
		m.listen(path)
	}
}

// newMachine creates sockets and pipes of all kinds, as many as a busy machine has.
func newMachine(t *testing.T, uid int) (m *machine, pipes []func() string) {
	m = &machine{t: t, dir: newPublicDir(t), home: filepath.Join(t.TempDir(), "home")}
	in := func(name string) string { return filepath.Join(m.dir, name) }
	if err := os.Chmod(m.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{in("x"), in("many"), m.home} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Symlink(".", in("link"))
	m.listen(in("plain"))
	m.serve(m.dir+"/.//x/../unclean", 0)
	m.serve("relative", 0)
	m.serve(in("apart"), unix.CLONE_NEWUSER|unix.CLONE_NEWNET)
	m.serve("./relative apart", unix.CLONE_NEWUSER|unix.CLONE_NEWNET)
	m.serve(in("link/linked"), 0)
	m.listen(in("one"))
	m.renamed("one", "other")
	m.listen(in("of two names"))
	if err := os.Link(in("of two names"), in("second name")); err != nil {
		t.Fatal(err)
	}
	m.at = append(m.at, in("second name"))
	m.listen(in("moved/deep/socket"))
	m.renamed("moved", "away")
	for i := range 1000 {
		m.listen(in("many/" + strconv.Itoa(i)))
	}
	m.usual(uid)
	if uid == 0 && os.Geteuid() == 0 { // on a mount in HOME
		at := filepath.Join(m.home, "mnt")
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		mounted(t, "tmpfs", at, "tmpfs", 0, "size=1m")
		m.listen(filepath.Join(at, "socket"))
	}
	pipes = []func() string{m.pipe(in("pipe")), m.pipe(filepath.Join(m.home, "pipe"))}
	return m, pipes
}

// lateSockets binds sockets in a directory, one after the other, until it is stopped.
func lateSockets(dir string) (stop func()) {
	ticker, ended, stopped := time.NewTicker(100*time.Millisecond), make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-ended:
				ticker.Stop()
				return
			case <-ticker.C:
			}
			if l, err := listenAt(filepath.Join(dir, "late"+strconv.Itoa(i))); err == nil {
				defer l.Close()
			}
		}
	}()
	return func() { close(ended); <-stopped }
}

// TestNothingOfTheMachine checks that no case reaches a service, wherever and whenever that bound
// its socket, and that no one reads what a case writes to a pipe. No .git file of the project
// changes that.
func TestNothingOfTheMachine(t *testing.T) {
	users := []int{os.Geteuid()}
	if users[0] == 0 {
		users = append(users, ordinaryUser)
	}
	for _, uid := range users {
		t.Run(strconv.Itoa(uid), func(t *testing.T) {
			m, pipes := newMachine(t, uid)
			list := filepath.Join(m.dir, "list")
			write(t, list, strings.Join(m.at, "\n")+"\n")
			defer lateSockets(m.dir)()
			for _, m.git = range processtest.Sample([]string{"", "/run", "/tmp", "/proc/self/root/run", "/proc/self/cwd/..", "/"}, 5) {
				out := m.fire(uid, attackVariable+`=reaching LIST="`+list+`" LATE="`+m.dir+`" "$SELF"`)
				if !strings.Contains(out, fmt.Sprintf("tried %d\n", len(m.at))) || strings.Contains(out, "tried late 0\n") || strings.Contains(out, "ESCAPED") {
					t.Errorf("gitdir %q, of %d: %.2000s", m.git, len(m.at), out)
				}
			}
			for i, read := range pipes {
				if got := read(); got != "" {
					t.Errorf("pipe %d holds %q", i, got)
				}
			}
		})
	}
}

// fire runs one case whose hook does an act, as a user, and returns the hook's output. SELF is the
// test program.
func (m *machine) fire(uid int, act string) string {
	m.t.Helper()
	if uid == os.Geteuid() {
		self, err := os.Executable()
		if err != nil {
			m.t.Fatal(err)
		}
		_, r := chosen(m.t, "namespaces", func(o *run.Options, i *sandbox.Options) {
			i.Shown, i.Home = []string{self}, m.home
			m.plant(o.Root)
		})
		c := doing(act)
		c.Env["SELF"] = self
		o, err := r.Case(m.t.Context(), c)
		if err != nil {
			m.t.Fatal(err)
		}
		defer func() { _ = r.Remove(o) }()
		return string(o.Last().Stdout) + string(o.Last().Stderr)
	}
	p := newProject(m.t)
	p.write("hook.sh", "#!/bin/bash\neval \"$ACT\"\n", 0o755)
	m.plant(p.root)
	program := filepath.Join(p.root, "program")
	copyProgram(m.t, program)
	for _, top := range []string{p.root, p.temp, m.home} {
		if err := os.Chmod(filepath.Dir(top), 0o755); err != nil {
			m.t.Fatal(err)
		}
		_ = filepath.WalkDir(top, func(path string, _ fs.DirEntry, _ error) error { return os.Lchown(path, uid, uid) })
	}
	cmd := exec.Command(program)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	cmd.Env = []string{attackVariable + "=ordinary", "PATH=" + os.Getenv("PATH"), "ROOT=" + p.root, "TEMP=" + p.temp, "HOME=" + m.home,
		"ACT=" + act, "SELF=" + program}
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Errorf("%v\n%s", err, out)
	}
	return string(out)
}

func (m *machine) plant(root string) {
	if m.git != "" {
		write(m.t, filepath.Join(root, ".git"), "gitdir: "+m.git+"\n")
	}
}

func serving() {
	l, err := net.Listen("unix", os.Getenv("AT"))
	if err == nil {
		err = os.Chmod(os.Getenv("AT"), 0o666)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ready")
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		_ = c.Close()
	}
}

// reaching tries the sockets and pipes of a list, and for two seconds those that appear in a
// directory.
func reaching() {
	list, err := os.Open(os.Getenv("LIST"))
	if err != nil {
		fmt.Println(err)
		return
	}
	tried := 0
	for lines := bufio.NewScanner(list); lines.Scan(); tried++ {
		reach(lines.Text())
	}
	fmt.Println("tried", tried)
	late := map[string]bool{}
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		entries, _ := os.ReadDir(os.Getenv("LATE"))
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), "late") {
				late[e.Name()] = true
				reach(filepath.Join(os.Getenv("LATE"), e.Name()))
			}
		}
		_ = unix.Nanosleep(&unix.Timespec{Nsec: 5e7}, nil)
	}
	fmt.Println("tried late", len(late))
}

func reach(path string) {
	if fi, err := os.Lstat(path); err == nil && fi.Mode()&os.ModeNamedPipe != 0 {
		if f, err := os.OpenFile(path, os.O_RDWR|unix.O_NONBLOCK, 0); err == nil {
			_, _ = io.WriteString(f, "ESCAPED")
		}
		return
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return // private or hidden
	}
	defer dir.Close()
	if c, err := net.Dial("unix", fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path))); err == nil {
		_ = c.Close()
		escaped("to the service at " + path)
	}
}
