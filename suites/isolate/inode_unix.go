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

// hardLinked reports whether a file has more than one name.
func hardLinked(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && fi.Mode().IsRegular() && st.Nlink > 1
}

// held is how many bytes a file takes up: fewer than its size where it has holes.
func held(fi fs.FileInfo) int64 {
	const block = 512
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int64(st.Blocks) * block
	}
	return fi.Size()
}
