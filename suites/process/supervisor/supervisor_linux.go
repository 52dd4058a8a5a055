// Package supervisor is the parent process of one running hook.
//
// hookwatch starts itself again for every case; this package's init notices
// that and never returns. The supervisor is a subreaper, so whatever the hook
// starts, in whatever session, ends up as its child and dies with the case; and
// hooks that key their state by their parent's PID share none of it.
//
// It must start light. Go initialises packages in the order of their import
// paths once their own imports are ready, so a package that imports only
// syscall is initialised before os and before every library: the cost is that
// of a bare Go program, whatever hookwatch links. TestImports holds it to that.
package supervisor

import (
	"strconv"
	"syscall"
	"unsafe"
)

// Env marks a process as a supervisor. Its value is how long, in milliseconds,
// what the hook leaves behind may take to end by itself.
const Env = "HOOKWATCH_SUPERVISOR"

// The supervisor's file descriptors beside the hook's three.
const (
	ControlFD = 3 // read: any byte or the end of the file ends everything
	ReportFD  = 4 // written: see report
)

const (
	prSetName           = 15
	prSetChildSubreaper = 36
)

func init() {
	grace, found := syscall.Getenv(Env)
	if !found {
		return
	}
	ms, err := strconv.Atoi(grace)
	if err != nil {
		syscall.Exit(2)
	}
	supervise(int64(ms))
	syscall.Exit(0)
}

func supervise(graceMS int64) {
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0)
	setName("hookwatch-case")
	keepFromHook(3)
	var r report
	argv, err := arguments()
	if err != nil || len(argv) == 0 {
		r.errno = syscall.EINVAL
		r.send()
		return
	}
	r.run(argv, graceMS)
	r.send()
}

// run starts the hook and returns when it and all it left behind are gone.
func (r *report) run(argv []string, graceMS int64) {
	pid, errno := start(argv)
	closeHookFiles()
	if errno != 0 {
		r.errno = errno
		return
	}
	go func() {
		awaitControl()
		killAll(pid)
	}()
	r.await(pid)
	if remaining() {
		r.left = endStragglers(graceMS)
	}
}

// await reaps children until the hook itself is one of them.
func (r *report) await(pid int) {
	for {
		var status syscall.WaitStatus
		var usage syscall.Rusage
		got, err := syscall.Wait4(-1, &status, 0, &usage)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			r.errno = syscall.ECHILD
			return
		case got == pid:
			r.status = uint32(status)
			r.userUS = int64(usage.Utime.Sec)*1e6 + int64(usage.Utime.Usec)
			r.systemUS = int64(usage.Stime.Sec)*1e6 + int64(usage.Stime.Usec)
			r.maxRSSKB = int64(usage.Maxrss)
			return
		}
	}
}

// start launches the hook in a process group of its own. A script that was just
// saved may still be open for writing in its editor: that passes in a moment.
func start(argv []string) (int, syscall.Errno) {
	attr := &syscall.ProcAttr{
		Env:   environment(),
		Files: []uintptr{0, 1, 2},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	}
	for try := 0; ; try++ {
		pid, err := syscall.ForkExec(argv[0], argv, attr)
		if err == nil {
			return pid, 0
		}
		errno, ok := err.(syscall.Errno)
		if !ok {
			errno = syscall.EINVAL
		}
		if errno != syscall.ETXTBSY || try == 50 {
			return 0, errno
		}
		sleep(10)
	}
}

// awaitControl returns when hookwatch asks for the end, or is gone itself.
func awaitControl() {
	var b [1]byte
	for {
		_, err := syscall.Read(ControlFD, b[:])
		if err != syscall.EINTR && err != syscall.EAGAIN {
			return
		}
	}
}

// killAll ends the hook's group and every descendant, for as long as there are
// any: a process that forks faster than it is killed meets the same end, since
// its children become ours.
func killAll(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	for {
		killChildren()
		sleep(1)
	}
}

func killChildren() {
	for _, pid := range children() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// endStragglers gives what the hook left behind a moment to end by itself (a
// process substitution that still writes, say), then ends it. It returns the
// names of those that had to be ended.
func endStragglers(graceMS int64) []string {
	for waited := int64(0); waited < graceMS; waited++ {
		if !remaining() {
			return nil
		}
		sleep(1)
	}
	var names []string
	for _, pid := range children() {
		names = append(names, name(pid))
	}
	for remaining() {
		killChildren()
		sleep(1)
	}
	return names
}

// remaining reaps what has ended and reports whether children are left.
func remaining() bool {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR, err == nil && pid > 0:
		case err != nil:
			return false
		default:
			return true
		}
	}
}

// keepFromHook closes our descriptors from fd up when the hook starts: its own
// three are all it gets, whatever hookwatch itself was started with.
func keepFromHook(fd uintptr) {
	const sysCloseRange, closeRangeCloexec, last = 436, 4, ^uint32(0)
	_, _, errno := syscall.RawSyscall(sysCloseRange, fd, uintptr(last), closeRangeCloexec)
	if errno != 0 { // a kernel before 5.11
		for f := int(fd); f < 256; f++ {
			syscall.CloseOnExec(f)
		}
	}
}

func sleep(ms int64) {
	ts := syscall.NsecToTimespec(ms * 1e6)
	_ = syscall.Nanosleep(&ts, nil)
}

func setName(s string) {
	b, err := syscall.BytePtrFromString(s)
	if err == nil {
		syscall.RawSyscall(syscall.SYS_PRCTL, prSetName, uintptr(unsafe.Pointer(b)), 0)
	}
}

// closeHookFiles lets hookwatch see the end of the hook's output: nobody but
// the hook and its children may hold the pipes.
func closeHookFiles() {
	for fd := range 3 {
		_ = syscall.Close(fd)
	}
}
