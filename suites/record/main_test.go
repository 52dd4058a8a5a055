package record

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets the test binary be the process that gets killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDirVariable); dir != "" {
		recordUntilKilled(dir)
		return
	}
	HeldLimit = 160 << 20 // so that bombs can be small
	goleak.VerifyTestMain(m)
}
