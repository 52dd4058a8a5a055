//go:build unix

package config

import (
	"os"
	"syscall"
)

// owners returns the owners of a file, and of its target if it is a link.
func owners(path string) (uids []int, known bool) {
	for _, look := range []func(string) (os.FileInfo, error){os.Lstat, os.Stat} {
		if fi, err := look(path); err == nil {
			if st, ok := fi.Sys().(*syscall.Stat_t); ok {
				uids = append(uids, int(st.Uid))
			}
		}
	}
	return uids, len(uids) > 0
}
