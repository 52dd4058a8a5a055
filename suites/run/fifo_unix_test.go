//go:build unix

package run_test

import (
	"testing"

	"golang.org/x/sys/unix"
)

func mkfifo(t *testing.T, path string) {
	t.Helper()
	if err := unix.Mkfifo(path, 0o755); err != nil {
		t.Fatal(err)
	}
}
