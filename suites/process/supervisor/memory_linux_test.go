package supervisor_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"hookwatch/suites/process/supervisor"
)

// TestSemaphoresCount checks that semaphores count as memory in use and not as an estimate, which
// another program that frees memory could lower.
func TestSemaphoresCount(t *testing.T) {
	const semaphores, least = 32000, 32000 * 64
	before, estimated := supervisor.Unmapped()
	set, _, errno := unix.Syscall(unix.SYS_SEMGET, unix.IPC_PRIVATE, semaphores, unix.IPC_CREAT|0o600)
	if errno != 0 {
		t.Fatal(errno)
	}
	defer func() { _, _, _ = unix.Syscall6(unix.SYS_SEMCTL, set, 0, unix.IPC_RMID, 0, 0, 0) }()
	after, still := supervisor.Unmapped()
	if after-before < least || still-estimated >= least {
		t.Errorf("a set of %d semaphores adds %d bytes in use and %d estimated, want at least %d in use", semaphores, after-before, still-estimated, least)
	}
}
