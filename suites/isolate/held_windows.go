package isolate

import "io/fs"

// HeldBy is how many bytes a file takes up.
func HeldBy(fi fs.FileInfo) int64 { return fi.Size() }
