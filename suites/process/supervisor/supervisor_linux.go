// Package supervisor is the parent process of the hooks of one case.
//
// hookwatch starts itself again for every case; this package's init notices
// that and never returns. The supervisor is a subreaper, or process 1 of
// namespaces of its own, so whatever a hook starts, in whatever session, ends up
// as its child and dies with the case; and hooks that key their state by their
// parent's PID share none of it.
//
// It must start light. Go initialises packages in the order of their import
// paths once their own imports are ready, so a package that imports only
// syscall is initialised before os and before every library: the cost is that
// of a bare Go program, whatever hookwatch links. TestImports holds it to that.
package supervisor

import (
	"strconv"
	"syscall"
)

// Env marks a process as a supervisor, or as a spawner of supervisors.
const Env = "HOOKWATCH_SUPERVISOR"

func init() {
	role, found := syscall.Getenv(Env)
	switch {
	case !found:
		return
	case role == RoleSpawner:
		spawnAll()
	default:
		supervise()
	}
	syscall.Exit(0)
}

func supervise() {
	startThreads()
	s := &supervising{first: syscall.Getpid() == 1, commands: make(map[int]int), watched: make(map[int]int), filter: filter{listener: -1}}
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0)
	setName("hookwatch-case")
	keepFromHook(3)
	if s.first {
		defaultSignals()
	}
	for {
		if s.await() {
			m, files, ok := receive()
			if !ok || len(m) == 0 {
				break
			}
			s.answer(m, files)
		}
		if s.firing {
			s.step()
		}
	}
	if !s.first { // with process 1 all others end
		s.killAll()
	}
}

func (s *supervising) answer(m []string, files []int) {
	switch m[0] {
	case Fire:
		s.fire(m[1:], files)
	case Kill:
		if i, err := strconv.Atoi(m[1]); err == nil {
			s.kill(i)
		}
	case Confine:
		s.confine(m[1:])
	case Write:
		s.reply(write(m[1], m[2], m[3]), "")
	case Read:
		content, errno := read(m[1], m[2])
		s.reply(errno, content)
	case Listen:
		s.listen()
	}
}

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
