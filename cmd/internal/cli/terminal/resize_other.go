//go:build !unix

package terminal

import "os"

// Resizes never reports a change: this system sends no signal for it.
func Resizes() (resized <-chan os.Signal, stop func()) { return nil, func() {} }
