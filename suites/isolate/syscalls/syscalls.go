// Package syscalls refuses system calls to cases: those that hooks do without,
// and that could lead out of a sandbox. It makes one of the steps of suites/isolate,
// a filter that the kernel runs; the supervisor of suites/process installs it.
package syscalls

// What a case is told to have wanted beside system calls by name.
const (
	TooLarge    = "a file that is too large" // a file was to become larger than it may
	OtherSocket = "socket"                   // of another kind than those of the network and of files
)
