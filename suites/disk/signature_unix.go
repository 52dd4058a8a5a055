//go:build unix && !linux

package disk

import (
	"io/fs"
	"syscall"
)

// A FileID tells files apart whatever their paths.
type FileID struct{ dev, ino uint64 }

// systemFacts returns which file info describes; the time of change has another
// name on each system and is left out.
func systemFacts(info fs.FileInfo) (id FileID, changed int64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return FileID{}, 0
	}
	return FileID{uint64(s.Dev), uint64(s.Ino)}, 0
}
