//go:build unix

package trust

import (
	"io/fs"
	"os"
	"syscall"
)

// own reports whether the file belongs to the user and no one else may write to it.
func own(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && fi.Mode()&0o022 == 0
}
