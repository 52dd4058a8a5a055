package supervisor

// supervising is what a supervisor knows. All of it belongs to one goroutine,
// which stays on its thread: hooks may use up all processes there are, and then
// the runtime cannot start another thread.
type supervising struct {
	first    bool        // process 1 of a namespace
	commands map[int]int // PID -> number of the command
	watched  map[int]int // PID -> descriptor that tells of its end
	firing   bool
	waited   int      // milliseconds since the last command ended
	grace    int      // milliseconds
	most     int      // processes and threads that had to be ended at once
	pipes    []uint64 // inodes of what the commands read and write
	memory   memory
	filter   filter
}
