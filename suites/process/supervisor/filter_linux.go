package supervisor

import (
	"strconv"
	"syscall"
	"unsafe"
)

// A filter refuses system calls to the processes that the supervisor starts. The kernel
// asks the supervisor about some of the calls, so that their names can be reported. It
// also asks about memfd_create, which the supervisor carries out itself if it limits the
// memory.
type filter struct {
	listener int       // -1 if the kernel does not ask
	key      [2]uint64 // makes the supervisor's own calls pass the filter
	calls    []filtered
}

// A filtered call is refused with errno and reported as name, unless it is aimed at another process
// than the supervisor.
type filtered struct {
	number int32
	errno  syscall.Errno
	name   string
	target int // argument with a process; Anyone if it is refused in any case
	seen   bool
}

// Anyone is the target of calls that are refused whatever process they are about.
const Anyone = -1

// install puts the filter on the calling thread, which starts all commands and must have
// no way to gain privileges. If the thread already has someone else's filter with a
// listener, this filter is installed without one: then the kernel refuses the calls with
// ENOSYS.
//
// With an observer, its program is installed instead, if the kernel has a listener for it.
func (f *filter) install(program string, key, named []string, o *observer) syscall.Errno {
	const newListener = 8
	if len(named)%4 != 0 {
		return syscall.EINVAL
	}
	for i := range f.key {
		f.key[i], _ = strconv.ParseUint(key[i], 10, 64)
	}
	for i := 0; i < len(named); i += 4 {
		f.calls = append(f.calls, filtered{
			number: int32(number(named[i], 10)), errno: syscall.Errno(number(named[i+1], 10)), name: named[i+2], target: number(named[i+3], 10),
		})
	}
	if o != nil && o.start(f) {
		return 0
	}
	fd, errno := seccomp(program, newListener)
	if errno != 0 {
		_, errno = seccomp(program, 0)
		return errno
	}
	f.listener = fd
	return 0
}

// seccomp puts a filter on the calling thread. It returns the listener if the flags ask for
// one.
func seccomp(program string, flags uintptr) (listener int, errno syscall.Errno) {
	const setModeFilter = 1
	if len(program) == 0 || len(program)%8 != 0 {
		return -1, syscall.EINVAL
	}
	instructions := make([]uint64, len(program)/8) // aligned
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&instructions[0])), len(program)), program)
	prog := struct {
		length       uint16
		instructions *uint64
	}{uint16(len(instructions)), &instructions[0]}
	fd, _, errno := syscall.RawSyscall(sysSeccomp, setModeFilter, flags, uintptr(unsafe.Pointer(&prog)))
	return int(fd), errno
}

// The kernel's struct seccomp_notif and seccomp_notif_resp.
type notification struct {
	id          uint64
	pid, flags  uint32
	call        int32
	arch        uint32
	instruction uint64
	arguments   [6]uint64
}

type response struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

// The kernel's requests to a listener, and its flag to carry out a call.
const (
	receiveCall = 0xc0502100
	answerCall  = 0xc0182101
	proceed     = 1
)

// receive returns the pending call. ok is false if the caller has ended.
func (f *filter) receive() (n notification, ok bool) {
	_, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(f.listener), receiveCall, uintptr(unsafe.Pointer(&n)))
	return n, errno == 0
}

// answer carries out or refuses a call.
func (f *filter) answer(n notification, m *memory) {
	r := response{id: n.id, errno: -int32(syscall.ENOSYS)}
	switch c := f.findCall(n.call); {
	case uintptr(n.call) == sysMemfdCreate && m.most == 0:
		r.errno, r.flags = 0, proceed
	case uintptr(n.call) == sysMemfdCreate:
		errno := f.serveMemfd(&n, &m.unmapped)
		if errno == 0 {
			return // serveMemfd has answered
		}
		r.errno = -int32(errno)
		if c != nil && errno == syscall.ENFILE {
			c.seen = true
		}
	case c != nil && c.target != Anyone:
		c.aim(&r, &m.reader, int(int32(n.arguments[c.target])))
	case c != nil:
		c.seen, r.errno = true, -int32(c.errno)
	}
	syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(f.listener), answerCall, uintptr(unsafe.Pointer(&r)))
}

// aim sets the answer to a call about a process or thread. One that does not exist could become part
// of the supervisor before the kernel carries the call out.
func (c *filtered) aim(answer *response, r *procReader, pid int) {
	exists := func(dir string) bool {
		r.name(dir, pid, "", 0, "")
		_, errno := r.stat()
		return errno == 0
	}
	switch {
	case pid <= 0 || !exists("/proc/"):
		answer.errno = -int32(syscall.ESRCH)
	case exists("/proc/self/task/"):
		c.seen, answer.errno = true, -int32(c.errno)
	default:
		answer.errno, answer.flags = 0, proceed
	}
}

// findCall returns the filtered call with a number, or nil if there is none.
func (f *filter) findCall(number int32) *filtered {
	for i := range f.calls {
		if c := &f.calls[i]; c.number == number {
			return c
		}
	}
	return nil
}

// take returns the names of the calls that were refused since it was last called.
func (f *filter) take() []string {
	var names []string
	for i := range f.calls {
		if c := &f.calls[i]; c.seen {
			c.seen = false
			names = append(names, c.name)
		}
	}
	return names
}
