package sandbox

// What a case is told to have wanted beside system calls by name.
const (
	TooLarge    = "a file that is too large" // a file was to become larger than it may
	OtherSocket = "socket"                   // of another kind than those of the network and of files
)
