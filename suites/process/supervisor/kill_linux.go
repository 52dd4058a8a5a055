package supervisor

import (
	"strconv"
	"syscall"
)

// count updates the maximum number of tasks, including threads, that had to be killed at
// once.
func (s *supervising) count(pids []int) {
	tasks := 0
	for _, pid := range pids {
		tasks += len(list("/proc/" + strconv.Itoa(pid) + "/task"))
	}
	s.most = max(s.most, tasks)
}

// strays lists the processes other than the supervisor: all others in the namespace, or
// its children.
func (s *supervising) strays() []int {
	if !anyChild() {
		return nil
	}
	if !s.first {
		return children()
	}
	var pids []int
	for _, n := range list("/proc") {
		if pid, err := strconv.Atoi(n); err == nil && pid != 1 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// kill ends command i with all of its descendants, or everything if i is negative.
func (s *supervising) kill(i int) {
	victim := 0
	for pid, n := range s.commands {
		if n == i {
			victim = pid
		}
	}
	switch {
	case i < 0, victim != 0 && len(s.commands) == 1:
		s.count(s.strays())
		s.killAll()
	case victim != 0:
		killTree(victim)
	}
}

// killAll kills all descendants until there are none. This also ends processes that fork
// faster than they are killed, because their children become ours.
func (s *supervising) killAll() {
	for anyChild() {
		s.strike()
		s.collect()
	}
}

// strike kills the processes that are running now, and waits a millisecond.
func (s *supervising) strike() {
	if s.first {
		_ = syscall.Kill(-1, syscall.SIGKILL)
	}
	for _, pid := range children() {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	sleep(1)
}

// killTree kills a process, its group and its descendants, the deepest last. Descendants
// that lose their parent in the meantime are killed at the end of the firing.
func killTree(pid int) {
	below := childrenOf(pid)
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for _, p := range below {
		killTree(p)
	}
}

// collect reaps children that have ended.
func (s *supervising) collect() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		if i, ok := s.commands[pid]; ok {
			delete(s.commands, pid)
			if fd := s.watched[pid]; fd >= 0 {
				_ = syscall.Close(fd)
			}
			delete(s.watched, pid)
			s.exited(i, 0, status)
		}
	}
}

func (s *supervising) exited(i int, errno syscall.Errno, status syscall.WaitStatus) {
	send(-1, Exited, strconv.Itoa(i), strconv.Itoa(int(errno)), strconv.FormatUint(uint64(status), 10))
}
