//go:build unix

package process

import (
	"math"
	"syscall"
)

// openFilesLimit returns the number of descriptors that this process may have open. The Go
// runtime has raised the soft limit to the hard one.
func openFilesLimit() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur) > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}
