package supervisor

// ControlFD is the supervisor's end of a stream socket. Requests come in and
// answers go out as messages; descriptors travel beside them. Its end ends
// everything.
const ControlFD = 3

// The requests, by their first field, and the answers to them.
const (
	// Fire starts commands side by side. Fields: milliseconds for which what
	// they leave behind may go on, number of commands; for each its directory,
	// the number of its arguments, these, the number of its variables, these.
	// Three descriptors a command come with it. All of them are answered by one
	// Started, each by an Exited when it ends, which is first for one that could
	// not be started, all of them by one Done.
	Fire    = "fire"
	Started = "started"
	// Exited: number of the command from 0, errno of its start, wait status.
	Exited = "exited"
	// Done: number of processes that outlived the commands, number of processes
	// and threads when they had to be ended, how many of the former are named,
	// their names, names of system calls that were refused.
	Done = "done"
	// Exceeded: the commands used more memory than they may, and are killed.
	Exceeded = "exceeded"
	// Kill ends one command of the firing, by its number, or all with -1.
	Kill = "kill"
	// Confine runs steps, each a field of Encode'd fields: see step. Answered by
	// Confined: errno, number of the step that failed or -1, number of each
	// optional step that failed and its errno; the descriptor StorageFD with it.
	Confine  = "confine"
	Confined = "confined"
	// Write makes a file: path, mode in octal, content. Read gives the content
	// of a regular file: path, bytes at most. Listen opens a port on loopback;
	// its descriptor comes with the answer. Answered by Reply: errno, content.
	Write  = "write"
	Read   = "read"
	Listen = "listen"
	Reply  = "reply"
)
