//go:build linux || darwin

package sandbox

import "golang.org/x/sys/unix"

// freeSpace returns the free space and the size of a file system in bytes, and how many more files
// it can contain.
func freeSpace(dir string) (left, size, files uint64) {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0, 0, 0
	}
	return st.Bavail * uint64(st.Bsize), st.Blocks * uint64(st.Bsize), st.Ffree
}
