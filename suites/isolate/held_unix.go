//go:build unix

package isolate

import (
	"io/fs"
	"syscall"
)

// HeldBy is how many bytes a file takes up: fewer than its size where it has holes.
func HeldBy(fi fs.FileInfo) int64 {
	const block = 512
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int64(st.Blocks) * block
	}
	return fi.Size()
}
