//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import (
	"sync"

	"golang.org/x/sys/unix"
)

// readKeyByKey makes a terminal hand over each key as it is pressed, unechoed,
// and nothing else: output, Ctrl-C and line ends stay as they were, so that what
// a killed process leaves behind can still be used. What was typed before is
// dropped on the way in and out; it was meant for somebody else. Restoring
// again does nothing.
func readKeyByKey(fd int) (restore func(), err error) {
	old, err := unix.IoctlGetTermios(fd, ioctlGetTermios)
	if err != nil {
		return nil, err
	}
	keys := *old
	keys.Lflag &^= unix.ICANON | unix.ECHO | unix.IEXTEN
	keys.Cc[unix.VMIN], keys.Cc[unix.VTIME] = 1, 0
	for _, key := range []int{unix.VSUSP, unix.VQUIT} { // a stopped session misses saves
		keys.Cc[key] = noCharacter
	}
	if err := unix.IoctlSetTermios(fd, ioctlSetTermiosFlush, &keys); err != nil {
		return nil, err
	}
	var once sync.Once
	return func() {
		once.Do(func() { _ = unix.IoctlSetTermios(fd, ioctlSetTermiosFlush, old) })
	}, nil
}
