package supervisor

import (
	"syscall"
	"unsafe"
)

type pollfd struct {
	fd      int32
	events  int16
	revents int16
}

const in = 1 // POLLIN

// poll waits in a raw call, which keeps the runtime from looking for another
// thread meanwhile.
func poll(fds []pollfd, timeout *syscall.Timespec) {
	syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), uintptr(len(fds)), uintptr(unsafe.Pointer(timeout)), 0, 0, 0)
}

// requested reports whether a request waits.
func requested() bool {
	fds := [1]pollfd{{fd: ControlFD, events: in}}
	poll(fds[:], &syscall.Timespec{})
	return fds[0].revents != 0
}

// anyChild reports whether there are children, ended ones too.
func anyChild() bool {
	const pAll, exited, noWait = 0, 4, 0x01000000
	var info [128]byte
	_, _, errno := syscall.RawSyscall6(syscall.SYS_WAITID, pAll, 0, uintptr(unsafe.Pointer(&info)), exited|noWait|syscall.WNOHANG, 0, 0)
	return errno != syscall.ECHILD
}
