//go:build unix

package isolate

import (
	"os"
	"syscall"
)

// ownerOf is the user that a file belongs to; a link's own.
func ownerOf(path string) (uid int, known bool) {
	fi, err := os.Lstat(path)
	if err != nil {
		return 0, false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}
