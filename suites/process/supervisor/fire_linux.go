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
	s.pipes = s.pipes[:0]
	for _, fd := range files {
		var about syscall.Stat_t
		if syscall.Fstat(fd, &about) == nil {
			s.pipes = append(s.pipes, about.Ino)
		}
	}
	s.queue = commands
	s.advance()
	for i, c := range commands {
		if s.order == nil {
			s.begin(i, c)
		}
	}
	send(-1, Started)
}

// begin starts command i. Only the hooks may have their pipes open.
func (s *supervising) begin(i int, c command) {
	if pid, watch, errno := c.start(); errno != 0 {
		s.reportExit(i, errno, 0)
	} else {
		s.commands[pid], s.watched[pid] = i, watch
		s.changeOrder(func(r *ordering) { r.turns[i].group = pid })
	}
	for _, fd := range c.files {
		_ = syscall.Close(int(fd))
	}
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
// changed. It reports whether there is a request. An error cannot be overcome: a hook that
// is not confined may have taken the right to poll from its supervisor.
func (s *supervising) await() (request bool, errno syscall.Errno) {
	const forever = -1
	fds := append(s.polled[:0], pollfd{fd: ControlFD, events: in})
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
	s.polled = fds
	if errno := poll(fds, timeout); errno != 0 {
		return false, errno
	}
	if asking >= 0 && fds[1].revents&in != 0 {
		if s.observer.active() {
			for _, n := range s.observer.take() {
				s.filter.answer(n, &s.memory)
			}
		} else if n, ok := s.filter.receive(); ok {
			s.filter.answer(n, &s.memory)
		}
	}
	return fds[0].revents != 0, 0
}

// asking returns a descriptor that becomes readable when the kernel asks about a call; -1 if it
// does not ask.
func (s *supervising) asking() int {
	if s.observer.active() {
		return s.observer.wake
	}
	return s.filter.listener
}

// step advances a firing: it reaps children that have ended and, after the last command,
// waits for the grace period, so that processes left behind can end by themselves (a
// process substitution that still writes, for example), then kills them.
func (s *supervising) step() {
	s.collect()
	if s.memory.due() && s.measureMemory() {
		send(-1, Exceeded)
		s.kill(-1)
	}
	if s.advance(); len(s.commands) > 0 {
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
	s.endTurns()
	send(-1, append(answer, s.filter.take()...)...)
}

// measureMemory measures the memory of all commands together and reports whether it exceeds the
// limit.
func (s *supervising) measureMemory() bool {
	m := &s.memory
	begin := microseconds()
	used := m.measure(s.first)
	end := microseconds()
	m.store(used, end, end-begin)
	return used > m.most
}

// The values of Env.
const (
	RoleSupervisor = "1"
	RoleSpawner    = "spawner"
)

// Spawn asks a spawner for a supervisor, which becomes a child of the spawner's own
// parent. Fields: clone flags, "1" to leave setgroups allowed, the numbers of each mapping
// of users (inside, outside, size) separated by spaces, those of groups, the ambient
// capabilities separated by spaces. The message comes with the supervisor's end of its
// socket, and with the directory of its cgroup if it has one. It is answered by Spawned:
// errno, PID.
//
// A process in a user namespace cannot be started by vfork, so its parent's page tables
// are copied and every page of the parent faults afterwards. A spawner has few pages;
// hookwatch has many.
const (
	Spawn   = "spawn"
	Spawned = "spawned"
)

// Argv and Environment are the arguments and the environment of a supervisor.
var (
	Argv = []string{"hookwatch-case"}
	// Few threads, because hooks may use up all processes.
	Environment = []string{Env + "=" + RoleSupervisor, "GOGC=off", "GOMAXPROCS=2"}
)

// Program is hookwatch's own executable, even if its file was replaced or removed.
const Program = "/proc/self/exe"

func spawnAll() {
	setName("hookwatch-spawn")
	endWithParent(syscall.SIGKILL)
	for {
		m, files, ok := receive()
		if !ok || len(m) != 6 || len(files) == 0 {
			return
		}
		pid, errno := spawn(m[1:], files)
		for _, f := range files {
			_ = syscall.Close(f)
		}
		send(-1, Spawned, strconv.Itoa(int(errno)), strconv.Itoa(pid))
	}
}

func spawn(m []string, files []int) (pid int, errno syscall.Errno) {
	const cloneParent = 0x8000
	attr := &syscall.ProcAttr{
		Dir:   "/",
		Env:   Environment,
		Files: []uintptr{0, 1, 2, uintptr(files[0])},
		Sys: &syscall.SysProcAttr{
			Setsid:                     true, // no terminal for hooks
			Cloneflags:                 uintptr(number(m[0], 10)) | cloneParent,
			GidMappingsEnableSetgroups: m[1] == "1",
			UidMappings:                mappings(m[2]),
			GidMappings:                mappings(m[3]),
		},
	}
	for _, c := range split([]byte(m[4]), ' ') {
		attr.Sys.AmbientCaps = append(attr.Sys.AmbientCaps, uintptr(number(c, 10)))
	}
	if len(files) > 1 {
		attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, files[1]
	}
	pid, err := syscall.ForkExec(Program, Argv, attr)
	return pid, errnoOf(err)
}

func mappings(s string) (all []syscall.SysProcIDMap) {
	f := split([]byte(s), ' ')
	for i := 0; i+2 < len(f); i += 3 {
		all = append(all, syscall.SysProcIDMap{ContainerID: number(f[i], 10), HostID: number(f[i+1], 10), Size: number(f[i+2], 10)})
	}
	return all
}

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
		return s.children()
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
	s.changeOrder(func(r *ordering) { // none begins any more
		for n := range r.turns {
			r.turns[n].begun, r.turns[n].held, i = true, nil, -1
		}
	})
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
		if s.first {
			_ = syscall.Kill(-1, syscall.SIGKILL)
		} else {
			for _, pid := range s.children() {
				_ = syscall.Kill(-pid, syscall.SIGKILL)
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		sleep(1)
		s.collect()
	}
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
		if status.Stopped() {
			continue // a hook made the supervisor its tracer, and has not ended
		}
		if i, ok := s.commands[pid]; ok {
			delete(s.commands, pid)
			if fd := s.watched[pid]; fd >= 0 {
				_ = syscall.Close(fd)
			}
			delete(s.watched, pid)
			s.reportExit(i, 0, status)
		}
	}
}

func (s *supervising) reportExit(i int, errno syscall.Errno, status syscall.WaitStatus) {
	s.changeOrder(func(r *ordering) { r.turns[i].ended = true })
	send(-1, Exited, strconv.Itoa(i), strconv.Itoa(int(errno)), strconv.FormatUint(uint64(status), 10))
}
