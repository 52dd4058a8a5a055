package isolate

import (
	"errors"
	"io/fs"
	"os"
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

// nextData is where, from an offset on, a file has data next, and where that
// ends; not ok where there is none.
func nextData(f *os.File, from, size int64) (begin, end int64, ok bool) {
	begin, err := f.Seek(from, unix.SEEK_DATA)
	if errors.Is(err, unix.ENXIO) {
		return 0, 0, false
	}
	if err != nil { // the file system knows no holes
		return from, size, true
	}
	if end, err = f.Seek(begin, unix.SEEK_HOLE); err != nil {
		end = size
	}
	return begin, end, true
}
