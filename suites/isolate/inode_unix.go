//go:build unix

package isolate

import (
	"io/fs"
	"syscall"
)

// A fileID tells a file from all others, whatever its names.
type fileID struct{ device, inode uint64 }

func identity(fi fs.FileInfo) (fileID, bool) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}, false
	}
	return fileID{uint64(st.Dev), st.Ino}, true
}

// namesOf counts the names that a regular file has.
func namesOf(fi fs.FileInfo) int {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && fi.Mode().IsRegular() {
		return int(st.Nlink)
	}
	return 1
}
