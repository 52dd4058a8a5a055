package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openReal opens a file at a path that had no symbolic links when it was looked
// at. The system refuses any that stand there by now; where it cannot, the path is
// looked at once more.
func openReal(real string) (*os.File, error) {
	how := unix.OpenHow{Flags: unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, real, &how)
	for errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) { // something is being renamed
		fd, err = unix.Openat2(unix.AT_FDCWD, real, &how)
	}
	switch {
	case err == nil:
		return os.NewFile(uintptr(fd), real), nil
	case errors.Is(err, unix.ELOOP):
		return nil, &Error{real, Moved, ""}
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // an old system, or a container that forbids it
		return openAndLook(real)
	}
	return nil, &os.PathError{Op: "open", Path: real, Err: err}
}
