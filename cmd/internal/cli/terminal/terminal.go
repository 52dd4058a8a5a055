// Package terminal reads keys from a terminal and tells one from a file.
package terminal

import (
	"os"

	"golang.org/x/term"
)

// FD is the file descriptor behind a stream that is a file.
func FD(stream any) (int, bool) {
	f, ok := stream.(interface{ Fd() uintptr })
	if !ok {
		return 0, false
	}
	return int(f.Fd()), true
}

// Is reports whether a stream is a terminal on which text can be placed.
func Is(stream any) bool {
	n, ok := FD(stream)
	return ok && term.IsTerminal(n) && os.Getenv("TERM") != "dumb"
}
