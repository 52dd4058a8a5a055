package supervisor

import (
	"strconv"
	"syscall"
)

// count notes how many tasks, threads included, had to be ended at once.
func (s *supervising) count(pids []int) {
	tasks := 0
	for _, pid := range pids {
		tasks += len(list("/proc/" + strconv.Itoa(pid) + "/task"))
	}
	s.most = max(s.most, tasks)
}

// strays lists what runs beside the supervisor: all other processes of the
// namespace, or its children.
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

// kill ends one command with all that descends from it, or everything.
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

// killAll ends every descendant, for as long as there are any: a process that
// forks faster than it is killed meets the same end, since its children become
// ours.
func (s *supervising) killAll() {
	for anyChild() {
		s.strike()
		s.collect()
	}
}

// strike kills what runs now, and waits a moment.
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

// killTree ends a process, its group and its descendants, the deepest last: what
// loses its parent meanwhile is ended with the firing.
func killTree(pid int) {
	below := childrenOf(pid)
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for _, p := range below {
		killTree(p)
	}
}

// collect takes note of children that have ended.
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
