package supervisor

import (
	"strconv"
	"syscall"
)

// System calls that package syscall does not have. Their numbers are the same on every
// architecture.
const (
	sysCloseRange   = 436
	sysMountSetattr = 442
)

// number returns 0 if s is not a number, without an error because the steps are
// hookwatch's own.
func number(s string, base int) int {
	n, err := strconv.ParseInt(s, base, 64)
	if err != nil {
		return 0
	}
	return int(n)
}

func errnoOf(err error) syscall.Errno {
	if err == nil {
		return 0
	}
	if errno, ok := err.(syscall.Errno); ok {
		return errno
	}
	return syscall.EINVAL
}

// unless treats one error as success.
func unless(expected syscall.Errno, err error) syscall.Errno {
	if errno := errnoOf(err); errno != expected {
		return errno
	}
	return 0
}

const atFDCWD = -100

// at is the descriptor that represents the working directory.
var at = atFDCWD

const (
	prSetDumpable       = 4
	prSetName           = 15
	prSetChildSubreaper = 36
)
