//go:build unix

package sandboxes

import (
	"io/fs"
	"os"
	"syscall"
)

func owned(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// openToOthers reports whether somebody else can write to a directory.
func openToOthers(fi fs.FileInfo) bool { return fi.Mode().Perm()&0o022 != 0 }

// openToAll reports whether everybody can exchange what is in a directory.
func openToAll(fi fs.FileInfo) bool {
	return fi.Mode().Perm()&0o002 != 0 && fi.Mode()&fs.ModeSticky == 0
}
