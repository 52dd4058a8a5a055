//go:build !linux

package isolate

import "io/fs"

func accessAndInode(fs.FileInfo) (atime int64, inode uint64) { return 0, 0 }

func whiteout(fs.FileInfo) bool { return false }

func opaque(string) bool { return false }
