// Package supervisor is the parent process of the hooks of one case.
//
// hookwatch starts itself again for every case; this package's init notices that and never
// returns. The supervisor is a subreaper, or process 1 of namespaces of its own, so every
// process that a hook starts, in any session, becomes its child and dies with the case.
// Hooks that key their state by their parent's PID share none of it, because each case has
// another parent.
//
// It must start fast. Go initialises packages in the order of their import paths once
// their own imports are ready, so a package that imports only syscall is initialised
// before os and before every library. It costs as much as a minimal Go program, whatever
// hookwatch links. TestImports checks that.
//
// A supervisor has the user of the hooks. As process 1 of namespaces it relies on the following, which
// TestFirstProcess of suites/run attacks and the named tests of suites/process check:
//
//   - Signals: it has no handlers, so the kernel drops what others in the namespaces send (defaultSignals).
//   - Limits, priority, scheduler, processors: the filter refuses to change those of its threads, and of
//     their group and user (filtered.aim; TestFilter of suites/sandbox).
//   - Memory, descriptors, tracing, pages, locks: it is not dumpable, and hooks have no capability for
//     other processes (dropPrivileges).
//   - Its files in /proc: /proc is read-only and nothing can be mounted over it (plan.finish).
//   - Its memory: it allocates nothing for a call that hooks can repeat, because garbage collection is off.
//   - Its children: one that makes it its tracer, or that is a sibling of a command, ends like all others.
//   - poll: if it fails, the case ends (TestNoZombies, "robbed").
//   - hookwatch: when it ends, the kernel kills process 1 in any state (TestDeathOfHookwatch). If an answer
//     does not come, hookwatch kills it by its own handle (TestNoZombies, "stopped").
//
// Without namespaces a hook can kill its supervisor. Then its processes become hookwatch's children, which
// ends them.
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
		endWithParent(syscall.SIGKILL)
	} else {
		s.proc = openProc()
		endWithParent(syscall.SIGCONT)
	}
	for s.turn() {
	}
	if !s.first { // if process 1 ends, the kernel kills all others
		s.killAll()
	}
}

// turn waits, answers a request if there is one, and advances the firing. It reports whether the
// supervisor goes on.
func (s *supervising) turn() bool {
	request, errno := s.await()
	if errno != 0 {
		return false
	}
	if request {
		m, files, ok := receive()
		if !ok || len(m) == 0 {
			return false
		}
		s.answer(m, files)
	}
	if s.firing {
		s.step()
	}
	return true
}

// endWithParent makes the kernel send a signal when hookwatch ends. It ends process 1 of namespaces
// in any state, and all others with it. Elsewhere the supervisor must end them itself, and a hook may
// have stopped it.
func endWithParent(sig syscall.Signal) {
	syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(sig), 0)
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
	case Order:
		s.takeTurns(m[1:])
	case Record:
		s.observer.setRecording(m[1] == "1")
	case Accesses:
		s.reply(0, string(Encode(s.observer.accesses()...)[4:]))
	}
}

// supervising is the state of a supervisor. All of it belongs to one goroutine, which
// stays on its thread, because hooks may use up all processes and then the runtime cannot
// start another thread.
type supervising struct {
	first    bool        // process 1 of a namespace
	proc     int         // descriptor of /proc, unless it is process 1; -1 for none
	polled   []pollfd    // reused, because garbage collection is off
	commands map[int]int // number of the command by PID
	watched  map[int]int // by PID, a descriptor that becomes readable when the command ends
	firing   bool
	waited   int      // milliseconds since the last command ended
	grace    int      // milliseconds
	most     int      // processes and threads that had to be killed at once
	pipes    []uint64 // inodes of the commands' standard streams
	memory   memory
	filter   filter
	observer *observer // nil unless the paths that commands use are recorded
	order    *ordering // that of the observer
	queue    []command // all commands, if they take turns
}

// ControlFD is the supervisor's end of a stream socket. Requests and answers are messages,
// which may come with descriptors. The supervisor kills everything and exits when the
// socket is closed.
const ControlFD = 3

// The requests, by their first field, and their answers.
const (
	// Fire starts commands concurrently. Fields: milliseconds of grace for processes left
	// behind, number of commands; then for each its directory, the number of its arguments,
	// the arguments, the number of its variables, the variables. Three descriptors per command
	// come with it. The answers are one Started for all, one Exited for each when it ends,
	// before Started if it could not be started, and one Done for all.
	Fire    = "fire"
	Started = "started"
	// Exited: number of the command from 0, errno of its start, wait status.
	Exited = "exited"
	// Done: number of processes that outlived the commands, number of processes and threads
	// when they had to be killed, number of names that follow, names of the former, names of
	// system calls that were refused.
	Done = "done"
	// Exceeded: the commands used more memory than the limit, and are killed.
	Exceeded = "exceeded"
	// Kill ends one command of the firing, by its number, or all with -1.
	Kill = "kill"
	// Confine runs steps. Each is a field that contains Encode'd fields: see perform. Answered
	// by Confined: errno, number of the step that failed or -1, then number and errno of each
	// optional step that failed; with the descriptor StorageFD.
	Confine  = "confine"
	Confined = "confined"
	// Order makes the commands of the next Fire take turns, if their paths are recorded: one runs until it
	// ends, is held, or waits for another one. Fields: "1" to end all when each is held or has ended; number of
	// commands; for each the number, from 1, of its access to the paths before which it is held, or 0; the
	// paths, of which none stands for all. Before Done it is answered by Accessed: for each access the number
	// of the command, its uses and the path, in one field.
	Order    = "order"
	Accessed = "accessed"
	// Write writes a file: path, mode in octal, content. Read returns the content of a regular
	// file: path, maximum bytes. Listen listens on a port on loopback; its descriptor comes
	// with the answer. All are answered by Reply: errno, content.
	Write  = "write"
	Read   = "read"
	Listen = "listen"
	Reply  = "reply"
	// Record stops, with "0", and resumes, with "1", the recording of an Observe. It is not
	// answered. Accesses is answered by Reply, whose content is Encode'd: why the record is not
	// complete, "" if it is; then path and uses of each path.
	Record   = "record"
	Accesses = "accesses"
)
