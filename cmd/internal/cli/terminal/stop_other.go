//go:build !unix

package terminal

// Stop does nothing: there is no way to stop a program here.
func Stop() error { return nil }
