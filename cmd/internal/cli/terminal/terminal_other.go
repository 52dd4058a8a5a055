//go:build !unix

package terminal

import "os"

// Stop does nothing, because this system cannot suspend a program.
func Stop() error { return nil }

// Resizes never reports a change, because this system sends no signal for it.
func Resizes() (resized <-chan os.Signal, stop func()) { return nil, func() {} }
