package process

import "io/fs"

func runnable(fs.FileInfo) bool { return true }
