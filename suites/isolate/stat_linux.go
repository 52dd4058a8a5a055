package isolate

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

func accessAndInode(fi fs.FileInfo) (atime int64, inode uint64) {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Atim.Nano(), st.Ino
	}
	return 0, 0
}

// whiteout reports whether the entry marks something as deleted from a view.
func whiteout(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && fi.Mode()&fs.ModeCharDevice != 0 && st.Rdev == 0
}

// opaque reports whether a directory on top of a view hides all of the one below.
func opaque(path string) bool {
	var b [1]byte
	n, err := unix.Lgetxattr(path, "user.overlay.opaque", b[:])
	return err == nil && n == 1 && b[0] == 'y'
}
