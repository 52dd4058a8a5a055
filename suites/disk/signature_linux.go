package disk

import (
	"io/fs"
	"syscall"
)

// A FileID identifies a file, independent of its path.
type FileID struct{ dev, ino uint64 }

// systemFacts returns the ID of the file and the time of its last change, in nanoseconds.
// Programs cannot set that time freely, unlike the modification time.
func systemFacts(info fs.FileInfo) (id FileID, changed int64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return FileID{}, 0
	}
	return FileID{s.Dev, s.Ino}, s.Ctim.Nano()
}
