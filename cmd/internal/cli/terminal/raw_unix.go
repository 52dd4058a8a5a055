//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import (
	"sync"

	"golang.org/x/sys/unix"
)

// readKeyByKey makes a terminal deliver each key as it is pressed, without echo. It leaves
// output, Ctrl-C and line ends unchanged, so that the terminal remains usable if the process is
// killed. Earlier input is discarded on entry and on restore, because it was meant for another
// program. Calling restore again does nothing.
func readKeyByKey(fd int) (restore func(), err error) {
	old, err := unix.IoctlGetTermios(fd, ioctlGetTermios)
	if err != nil {
		return nil, err
	}
	keys := *old
	keys.Lflag &^= unix.ICANON | unix.ECHO | unix.IEXTEN
	keys.Cc[unix.VMIN], keys.Cc[unix.VTIME] = 1, 0
	for _, key := range []int{unix.VSUSP, unix.VQUIT} { // a suspended session misses saves
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
