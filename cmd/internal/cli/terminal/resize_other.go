//go:build !unix

package terminal

import "os"

// Resizes never reports a change, because this system sends no signal for it.
func Resizes() (resized <-chan os.Signal, stop func()) { return nil, func() {} }
