package process

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hookwatch/suites/process/supervisor"
)

// spawning is the spawner of this process, for all reserves: each of them would start hookwatch itself
// spawnAfter times, and a spawner in addition. It ends with this process, whose end of the socket it
// reads.
var spawning spawner

// spawnAfter is the number of confined supervisors that are started directly before a
// spawner is started, because the start of the spawner costs more than it saves for one of
// them.
const spawnAfter = 2

// A spawner is a small process that starts confined supervisors as children of this one,
// because a fork of hookwatch is expensive (see supervisor.Spawn). The zero value is usable. If it fails, supervisors are started directly.
type spawner struct {
	mu      sync.Mutex
	direct  int // number of supervisors requested so far
	gone    bool
	conn    *net.UnixConn // nil if it is not running
	process *os.Process
}

// start starts a supervisor. If ok is false, the caller must start it itself.
func (s *spawner) start(sys *syscall.SysProcAttr, theirs *os.File) (p *os.Process, err error, ok bool) {
	if sys.Cloneflags == 0 {
		return nil, nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.direct++; s.gone || s.direct <= spawnAfter || !s.begin() {
		return nil, nil, false
	}
	pid, errno, err := s.request(sys, theirs)
	switch {
	case err != nil:
		s.end()
		return nil, nil, false
	case errno != 0:
		return nil, &os.PathError{Op: "fork/exec", Path: supervisor.Program, Err: errno}, true
	}
	p, err = os.FindProcess(pid)
	return p, err, true
}

// begin starts the spawner unless it is running.
func (s *spawner) begin() bool {
	if s.conn != nil {
		return true
	}
	conn, theirs, err := socket()
	if err != nil {
		return false
	}
	defer theirs.Close()
	s.process, err = startSelf([]string{"hookwatch-spawn"}, []string{supervisor.Env + "=" + supervisor.RoleSpawner, "GOGC=off", "GOMAXPROCS=1"},
		&syscall.SysProcAttr{Setsid: true}, theirs)
	if err != nil {
		_ = conn.Close()
		return false
	}
	supervisors.pids.Store(s.process.Pid, true)
	s.conn = conn
	return true
}

func (s *spawner) request(sys *syscall.SysProcAttr, theirs *os.File) (pid int, errno syscall.Errno, err error) {
	fds := []int{int(theirs.Fd())}
	if sys.UseCgroupFD {
		fds = append(fds, sys.CgroupFD)
	}
	if err := s.conn.SetDeadline(time.Now().Add(killBound)); err != nil {
		return 0, 0, err
	}
	setgroups := "0"
	if sys.GidMappingsEnableSetgroups {
		setgroups = "1"
	}
	if err := send(s.conn, fds, supervisor.Spawn, strconv.FormatUint(uint64(sys.Cloneflags), 10), setgroups,
		mappings(sys.UidMappings), mappings(sys.GidMappings), strings.Trim(fmt.Sprint(sys.AmbientCaps), "[]")); err != nil {
		return 0, 0, err
	}
	a, err := receive(s.conn)
	if err != nil {
		return 0, 0, err
	}
	if len(a.fields) != 3 || a.fields[0] != supervisor.Spawned {
		return 0, 0, errLost
	}
	pid, err = strconv.Atoi(a.fields[2])
	return pid, errnoIn(a.fields[1]), err
}

func mappings(all []syscall.SysProcIDMap) string {
	var numbers []string
	for _, m := range all {
		numbers = append(numbers, strconv.Itoa(m.ContainerID), strconv.Itoa(m.HostID), strconv.Itoa(m.Size))
	}
	return strings.Join(numbers, " ")
}

// end ends the spawner for good.
func (s *spawner) end() {
	s.gone = true
	if s.conn == nil {
		return
	}
	_ = s.conn.Close()
	_ = s.process.Kill() // it has no state
	_, _ = s.process.Wait()
	supervisors.pids.Delete(s.process.Pid)
	s.conn = nil
}

// socket creates a pair of connected sockets: one for this process, and one for a process
// to start.
func socket() (ours *net.UnixConn, theirs *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	end, theirs := os.NewFile(uintptr(pair[0]), "supervisor"), os.NewFile(uintptr(pair[1]), "hookwatch")
	defer end.Close()
	conn, err := net.FileConn(end)
	if err != nil {
		_ = theirs.Close()
		return nil, nil, err
	}
	return conn.(*net.UnixConn), theirs, nil
}

// startSelf starts hookwatch again, with one end of a socket as supervisor.ControlFD.
func startSelf(argv, env []string, sys *syscall.SysProcAttr, theirs *os.File) (*os.Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	return os.StartProcess(supervisor.Program, argv, &os.ProcAttr{Dir: "/", Env: env, Files: []*os.File{null, null, null, theirs}, Sys: sys})
}
