//go:build !unix

package trust

import "io/fs"

// own is not to be seen here.
func own(fs.FileInfo) bool { return true }
