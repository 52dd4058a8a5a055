//go:build !linux

package run_test

// attack is for Linux only.
func attack() {}
