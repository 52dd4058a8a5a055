//go:build !unix

package terminal

// Stop does nothing, because this system cannot suspend a program.
func Stop() error { return nil }
