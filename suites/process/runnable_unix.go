//go:build unix

package process

import "io/fs"

func runnable(fi fs.FileInfo) bool { return fi.Mode()&0o111 != 0 }
