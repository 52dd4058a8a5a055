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

// Env marks a process as a supervisor.
const Env = "HOOKWATCH_SUPERVISOR"

func init() {
	if _, found := syscall.Getenv(Env); !found {
		return
	}
	supervise()
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
