//go:build !linux

package run_test

// attack does nothing, because attacks are for Linux only.
func attack() {}
