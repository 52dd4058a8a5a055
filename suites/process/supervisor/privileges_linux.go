package supervisor

import (
	"syscall"
	"unsafe"
)

// dropPrivileges leaves the calling thread, which starts all commands, with the
// capabilities named. A hook that kept the others could take its own sandbox
// down. It cannot take hold of the supervisor either, whose other threads keep
// theirs: it may not be traced.
func dropPrivileges(keep []string) syscall.Errno {
	const prCapbsetDrop, prCapAmbient, clearAll, prSetNoNewPrivs = 24, 47, 4, 38
	var set uint64
	for _, c := range keep {
		set |= 1 << number(c, 10)
	}
	for c := uintptr(0); c < 64; c++ {
		if set&(1<<c) != 0 {
			continue
		}
		if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prCapbsetDrop, c, 0); errno == syscall.EINVAL {
			break // the kernel's last one is below
		} else if errno != 0 {
			return errno
		}
	}
	syscall.RawSyscall6(syscall.SYS_PRCTL, prCapAmbient, clearAll, 0, 0, 0, 0)
	if errno := setCapabilities(set); errno != 0 {
		return errno
	}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0)
	return errno
}

func setCapabilities(set uint64) syscall.Errno {
	const version3 = 0x20080522
	header := struct {
		version uint32
		pid     int32
	}{version: version3}
	low, high := uint32(set), uint32(set>>32)
	data := [2]struct{ effective, permitted, inheritable uint32 }{{low, low, 0}, {high, high, 0}}
	_, _, errno := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&data)), 0)
	return errno
}

// defaultSignals takes the runtime's handlers away: the kernel keeps from
// process 1 what it does not handle, so no hook can end it. A signal that is
// ignored instead would stay so in the hooks.
func defaultSignals() {
	var action [64]byte // SIG_DFL, no flags, an empty mask
	for sig := uintptr(1); sig <= 64; sig++ {
		syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, sig, uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
	}
}
