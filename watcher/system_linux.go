package watcher

import (
	"io/fs"
	"syscall"
)

// A fileID tells files apart whatever their paths.
type fileID struct{ dev, ino uint64 }

// systemFacts returns which file info describes and when anything about it last
// changed, in nanoseconds; that time cannot be set at will, as the modification
// time can.
func systemFacts(info fs.FileInfo) (id fileID, changed int64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}, 0
	}
	return fileID{s.Dev, s.Ino}, s.Ctim.Nano()
}
