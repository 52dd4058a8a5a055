package main

import "golang.org/x/sys/unix"

// keepInherited keeps programs under test from inheriting the descriptors that this process was
// started with: a high one makes the kernel give each process a large table of them, with which
// sandboxes are created faster than in the user's terminal.
func keepInherited() {
	_ = unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) // refused before Linux 5.11
}
