package supervisor

import (
	"syscall"
	"unsafe"
)

// A filter refuses system calls to what the supervisor starts. Some of them are
// named in the end: the kernel then asks the supervisor for the error.
type filter struct {
	listener int // -1: nobody asks
	calls    []filtered
}

// A filtered call is refused with an error, under a name.
type filtered struct {
	number int32
	errno  syscall.Errno
	name   string
	seen   bool
}

// install puts the filter on the calling thread, which starts all commands and
// may gain no privileges any more. A thread that has a filter with a listener of
// somebody else's gets it without one: then the kernel answers that it does not
// know the calls.
func (f *filter) install(program string, named []string) syscall.Errno {
	const setModeFilter, newListener = 1, 8
	if len(program) == 0 || len(program)%8 != 0 || len(named)%3 != 0 {
		return syscall.EINVAL
	}
	instructions := make([]uint64, len(program)/8) // aligned
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&instructions[0])), len(program)), program)
	prog := struct {
		length       uint16
		instructions *uint64
	}{uint16(len(instructions)), &instructions[0]}
	fd, _, errno := syscall.RawSyscall(sysSeccomp, setModeFilter, newListener, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		_, _, errno = syscall.RawSyscall(sysSeccomp, setModeFilter, 0, uintptr(unsafe.Pointer(&prog)))
		return errno
	}
	f.listener = int(fd)
	for i := 0; i < len(named); i += 3 {
		f.calls = append(f.calls, filtered{number: int32(number(named[i], 10)), errno: syscall.Errno(number(named[i+1], 10)), name: named[i+2]})
	}
	return 0
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

// answer refuses the call that waits.
func (f *filter) answer() {
	const receive, send = 0xc0502100, 0xc0182101
	var n notification
	if _, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(f.listener), receive, uintptr(unsafe.Pointer(&n))); errno != 0 {
		return // who called is gone
	}
	r := response{id: n.id, errno: -int32(syscall.ENOSYS)}
	for i := range f.calls {
		if c := &f.calls[i]; c.number == n.call {
			c.seen, r.errno = true, -int32(c.errno)
		}
	}
	syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(f.listener), send, uintptr(unsafe.Pointer(&r)))
}

// take gives the names of the calls that were refused since it was last asked.
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
