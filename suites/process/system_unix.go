//go:build unix

package process

import (
	"io/fs"
	"math"
	"syscall"
)

func runnable(fi fs.FileInfo) bool { return fi.Mode()&0o111 != 0 }

// openFilesLimit returns how many descriptors this process may have. The Go runtime has
// raised the soft limit to the hard one.
func openFilesLimit() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur) > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}
