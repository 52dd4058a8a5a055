package isolate

import "io/fs"

// LeastTaken is how many bytes any file, directory or link counts with where it is
// kept: each takes an inode, and a file system has only so many.
const LeastTaken = 4096

// Taken returns how many bytes a file, directory or link counts with.
func Taken(fi fs.FileInfo) int64 {
	if !fi.Mode().IsRegular() {
		return LeastTaken
	}
	return max(HeldBy(fi), LeastTaken)
}
