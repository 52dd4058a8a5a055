package supervisor

import (
	"strconv"
	"syscall"
)

// namesAtMost is the maximum number of names of processes left behind in an answer.
const namesAtMost = 20

// A command is one hook to start.
type command struct {
	dir       string
	argv, env []string
	files     []uintptr
}

func (s *supervising) fire(m []string, files []int) {
	commands, grace, ok := parseFire(m, files)
	if !ok {
		syscall.Exit(2)
	}
	s.firing, s.grace, s.waited, s.most = true, grace, 0, 0
	s.memory.begin()
	for i, c := range commands {
		pid, watch, errno := c.start()
		if errno != 0 {
			s.exited(i, errno, 0)
			continue
		}
		s.commands[pid], s.watched[pid] = i, watch
	}
	s.pipes = s.pipes[:0]
	for _, fd := range files {
		var about syscall.Stat_t
		if syscall.Fstat(fd, &about) == nil {
			s.pipes = append(s.pipes, about.Ino)
		}
		_ = syscall.Close(fd) // only the hooks may have the pipes open
	}
	send(-1, Started)
}

func parseFire(m []string, files []int) (commands []command, grace int, ok bool) {
	take := func() string {
		if len(m) == 0 {
			ok = false
			return ""
		}
		f := m[0]
		m = m[1:]
		return f
	}
	number := func() int {
		n, err := strconv.Atoi(take())
		ok = ok && err == nil
		return n
	}
	list := func() []string {
		n := number()
		if n < 0 || n > len(m) {
			ok = false
			return nil
		}
		l := m[:n]
		m = m[n:]
		return l
	}
	ok = true
	grace = number()
	n := number()
	if !ok || n*3 != len(files) {
		return nil, 0, false
	}
	for i := range n {
		c := command{dir: take(), argv: list(), env: list()}
		for _, fd := range files[3*i : 3*i+3] {
			c.files = append(c.files, uintptr(fd))
		}
		commands = append(commands, c)
	}
	return commands, grace, ok
}

// start launches the hook in a process group of its own. It retries on ETXTBSY, because an
// editor may still have a script open for writing just after it was saved.
//
// watch is a descriptor that becomes readable when the hook ends, or -1 if the kernel has
// none.
func (c command) start() (pid, watch int, errno syscall.Errno) {
	path, errno := find(c)
	if errno != 0 {
		return 0, -1, errno
	}
	watch = -1
	attr := &syscall.ProcAttr{
		Dir:   c.dir,
		Env:   c.env,
		Files: c.files,
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, PidFD: &watch},
	}
	for try := 0; ; try++ {
		pid, err := syscall.ForkExec(path, c.argv, attr)
		if err == nil {
			return pid, watch, 0
		}
		if errno = errnoOf(err); errno != syscall.ETXTBSY || try == 50 {
			return 0, -1, errno
		}
		sleep(10)
	}
}

// find looks up a program as a shell with the command's environment would.
func find(c command) (string, syscall.Errno) {
	if len(c.argv) == 0 {
		return "", syscall.EINVAL
	}
	name := c.argv[0]
	for i := range len(name) {
		if name[i] == '/' {
			return name, 0
		}
	}
	search := ""
	for _, kv := range c.env {
		if len(kv) > 5 && kv[:5] == "PATH=" {
			search = kv[5:]
		}
	}
	for _, dir := range split([]byte(search), ':') {
		switch {
		case dir == "":
			dir = c.dir
		case dir[0] != '/':
			dir = c.dir + "/" + dir
		}
		path := dir + "/" + name
		if runnable(path) {
			return path, 0
		}
	}
	return "", syscall.ENOENT
}

func runnable(path string) bool {
	var st syscall.Stat_t
	return syscall.Stat(path, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFREG && st.Mode&0o111 != 0
}

// await waits until a request arrives or the state of the running commands may have
// changed. It reports whether there is a request.
func (s *supervising) await() bool {
	const forever = -1
	fds := []pollfd{{fd: ControlFD, events: in}}
	wait := forever
	switch {
	case s.firing && len(s.commands) == 0:
		wait = 1 // for processes that they left behind
	case s.firing:
		wait = 20 // to reap orphans
	}
	asking := s.asking()
	if asking >= 0 {
		fds = append(fds, pollfd{fd: int32(asking), events: in})
	}
	for _, fd := range s.watched {
		if fd < 0 {
			wait = 1
			continue
		}
		fds = append(fds, pollfd{fd: int32(fd), events: in})
	}
	var timeout *syscall.Timespec
	if wait != forever {
		t := syscall.NsecToTimespec(int64(wait) * 1e6)
		timeout = &t
	}
	poll(fds, timeout)
	if asking >= 0 && fds[1].revents&in != 0 {
		s.answerCalls()
	}
	return fds[0].revents != 0
}

// asking returns a descriptor that becomes readable when the kernel asks about a call; -1 if it
// does not ask.
func (s *supervising) asking() int {
	if s.observer.active() {
		return s.observer.wake
	}
	return s.filter.listener
}

func (s *supervising) answerCalls() {
	if s.observer.active() {
		for _, n := range s.observer.take() {
			s.filter.answer(n, &s.memory)
		}
	} else if n, ok := s.filter.receive(); ok {
		s.filter.answer(n, &s.memory)
	}
}

// step advances a firing: it reaps children that have ended and, after the last command,
// waits for the grace period, so that processes left behind can end by themselves (a
// process substitution that still writes, for example), then kills them.
func (s *supervising) step() {
	s.collect()
	if s.memory.due() && s.exceeded() {
		send(-1, Exceeded)
		s.kill(-1)
	}
	if len(s.commands) > 0 {
		return
	}
	if anyChild() && s.waited < s.grace {
		s.waited++
		return
	}
	pids := s.strays()
	s.count(pids)
	named := pids[:min(len(pids), namesAtMost)]
	answer := []string{Done, strconv.Itoa(len(pids)), strconv.Itoa(s.most), strconv.Itoa(len(named))}
	for _, pid := range named {
		answer = append(answer, s.mark(pid)+name(pid))
	}
	s.killAll()
	s.firing = false
	send(-1, append(answer, s.filter.take()...)...)
}

// exceeded measures the memory of all commands together and reports whether it exceeds the
// limit.
func (s *supervising) exceeded() bool {
	m := &s.memory
	begin := microseconds()
	used := m.measure(s.first)
	end := microseconds()
	m.looked(used, end, end-begin)
	return used > m.most
}
