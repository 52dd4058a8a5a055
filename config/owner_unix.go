//go:build unix

package config

import (
	"io/fs"
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

// usersOwn reports whether the file belongs to the user and no one else may write to it.
func usersOwn(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && fi.Mode()&0o022 == 0
}
