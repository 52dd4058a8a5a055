//go:build unix && !linux

package watcher

import (
	"io/fs"
	"syscall"
)

// A fileID tells files apart whatever their paths.
type fileID struct{ dev, ino uint64 }

// systemFacts returns which file info describes; the time of change has another
// name on each system and is left out.
func systemFacts(info fs.FileInfo) (id fileID, changed int64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}, 0
	}
	return fileID{uint64(s.Dev), uint64(s.Ino)}, 0
}
