package process

// Limits bound what the processes of a box may use. They hold with namespaces
// and without, as far as the system has them; a zero bounds nothing.
type Limits struct {
	Memory    int64 // bytes that all of them may use together
	FileSize  int64 // bytes of any file that they write
	Processes int   // at a time, threads included; where the system counts them for a box
}

// OpenFiles is how many descriptors a process may have at most: more than any
// hook needs, and few enough that hooks do not use up those of the machine.
const OpenFiles = 8192

// A MemoryBound says what holds a box to its memory.
type MemoryBound int

// The bounds, the weakest first.
const (
	MemoryUnbounded MemoryBound = iota
	MemoryWatched               // the supervisor looks every few milliseconds
	MemoryCgroup                // the kernel counts
)
