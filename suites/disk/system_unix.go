//go:build unix && !linux

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// A FileID identifies a file, independent of its path.
type FileID struct{ dev, ino uint64 }

// systemFacts returns the ID of the file. It leaves out the time of change, because that
// field has a different name on each system.
func systemFacts(info fs.FileInfo) (id FileID, changed int64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return FileID{}, 0
	}
	return FileID{uint64(s.Dev), uint64(s.Ino)}, 0
}

func openReal(real string) (*os.File, error) { return openAndLook(real) }
