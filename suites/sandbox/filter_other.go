//go:build !linux || (!amd64 && !arm64)

package sandbox

// callsKnown reports whether the system calls of this machine are known.
const callsKnown = false

// filterCalls refuses nothing here: only the calls of two architectures are known.
func filterCalls(int64) []string { return nil }
