// Package processtest is for test binaries that are also started as the program
// under test, or as what a hook starts. Nothing that ships imports it:
// TestShipped in cmd/hookwatch holds that.
package processtest

import (
	"os"
	"syscall"
	"testing"
)

// Exit ends a test binary that was started as a program. One that is built to
// measure coverage keeps what it measured in GOCOVERDIR when it exits, and
// complains on stderr where that is not set, as in the environment that hooks
// get; but stderr is part of what a test looks at. There it ends at once.
func Exit(code int) {
	if testing.CoverMode() != "" && os.Getenv("GOCOVERDIR") == "" {
		syscall.Exit(code)
	}
	os.Exit(code)
}
