package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openReal opens a file by a path that had no symbolic links when it was resolved. The
// kernel refuses links that were created since; if it does not support that, the path is
// resolved again instead.
func openReal(real string) (*os.File, error) {
	how := unix.OpenHow{Flags: unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, real, &how)
	for errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) { // during a rename
		fd, err = unix.Openat2(unix.AT_FDCWD, real, &how)
	}
	switch {
	case err == nil:
		return os.NewFile(uintptr(fd), real), nil
	case errors.Is(err, unix.ELOOP):
		return nil, &Error{real, Moved, ""}
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // an old kernel, or a container that forbids it
		return openAndLook(real)
	}
	return nil, &os.PathError{Op: "open", Path: real, Err: err}
}

// A FileID identifies a file, independent of its path.
type FileID struct{ dev, ino uint64 }

// systemFacts returns the ID of the file and the time of its last change, in nanoseconds.
// Programs cannot set that time freely, unlike the modification time.
func systemFacts(info fs.FileInfo) (id FileID, changed int64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return FileID{}, 0
	}
	return FileID{s.Dev, s.Ino}, s.Ctim.Nano()
}
