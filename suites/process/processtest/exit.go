// Package processtest is for test binaries that are also started as the program under
// test, or by a hook. Shipped packages do not import it: TestShipped in cmd/hookwatch
// checks that.
package processtest

import (
	"os"
	"syscall"
	"testing"
)

// Exit ends a test binary that was started as a program. A binary built to measure
// coverage writes its counters to GOCOVERDIR when it exits, and prints a warning on stderr
// if that is not set, as in the environment of hooks. In that case Exit skips it, because
// tests check stderr.
func Exit(code int) {
	if testing.CoverMode() != "" && os.Getenv("GOCOVERDIR") == "" {
		syscall.Exit(code)
	}
	os.Exit(code)
}
