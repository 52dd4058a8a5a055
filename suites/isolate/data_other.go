//go:build !linux

package isolate

import "os"

// nextData takes all of a file for data.
func nextData(_ *os.File, from, size int64) (begin, end int64, ok bool) { return from, size, true }
