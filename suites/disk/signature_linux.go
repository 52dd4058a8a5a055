package disk

import (
	"io/fs"
	"syscall"
)

// A FileID tells files apart whatever their paths.
type FileID struct{ dev, ino uint64 }

// systemFacts returns which file info describes and when anything about it last
// changed, in nanoseconds; that time cannot be set at will, as the modification
// time can.
func systemFacts(info fs.FileInfo) (id FileID, changed int64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return FileID{}, 0
	}
	return FileID{s.Dev, s.Ino}, s.Ctim.Nano()
}
