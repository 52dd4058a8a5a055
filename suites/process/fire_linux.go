package process

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hookwatch/suites/process/supervisor"
)

// A firing is a set of commands that run concurrently.
type firing struct {
	b        *Supervisor
	commands []Command
	results  []Result
	streams  []*streams
	inputs   []*os.File // the children's ends of stdin, kept to see what they leave
	ended    []bool
	begin    time.Time
	timeouts chan int
	over     bool           // they used more memory than the limit
	short    *ShortageError // a shortage that kept a command from starting, which is not the command's fault
}

// cgroupPoll is the interval for asking the kernel whether it killed a process of the
// cgroup.
const cgroupPoll = 50 * time.Millisecond

func (b *Supervisor) run(ctx context.Context, commands []Command) ([]Result, error) {
	f := &firing{
		b: b, commands: commands,
		results:  make([]Result, len(commands)),
		ended:    make([]bool, len(commands)),
		timeouts: make(chan int, len(commands)),
	}
	defer f.close()
	if err := f.start(); err != nil {
		return nil, fmt.Errorf("run %s: %w", commands[0].Argv[0], orShortage(err))
	}
	for i, c := range commands {
		if c.Timeout > 0 {
			defer time.AfterFunc(c.Timeout, func() { f.timeouts <- i }).Stop()
		}
	}
	f.await(ctx)
	f.collect()
	if commands[0].Preparing && !b.unrecorded {
		_ = f.b.send(nil, supervisor.Record, "1") // its end is noticed by the next command
	}
	if f.short != nil {
		return nil, fmt.Errorf("run %s: %w", commands[0].Argv[0], f.short)
	}
	return f.results, nil
}

// start sends the commands and their ends of the pipes to the supervisor.
func (f *firing) start() error {
	if err := roomFor(len(f.commands)); err != nil {
		return err
	}
	request := []string{supervisor.Fire, strconv.FormatInt(stragglerGrace.Milliseconds(), 10), strconv.Itoa(len(f.commands))}
	var files []*os.File
	defer func() { closeAll(files) }()
	for i := range f.commands {
		c := &f.commands[i]
		open := os.Pipe
		if c.Sockets {
			open = socketPair
		}
		s, child, err := connect(open)
		if err != nil {
			return err
		}
		f.streams = append(f.streams, s)
		for _, end := range child {
			_ = unix.SetNonblock(int(end.Fd()), false)
		}
		f.inputs = append(f.inputs, child[0])
		files = append(files, child[1:]...)
		request = append(request, c.Dir)
		request = appendList(request, c.Argv)
		request = appendList(request, c.Env)
	}
	if f.commands[0].Preparing {
		if err := f.b.send(nil, supervisor.Record, "0"); err != nil {
			return err
		}
	}
	if turns := f.commands[0].Turns; turns != nil {
		if err := f.b.send(nil, append([]string{supervisor.Order}, turns...)...); err != nil {
			return err
		}
	}
	f.begin = time.Now()
	f.b.idle = false
	var ends []*os.File // of the children
	for i, in := range f.inputs {
		ends = append(ends, in, files[2*i], files[2*i+1])
	}
	if err := f.b.send(ends, request...); err != nil {
		return err
	}
	for i, s := range f.streams {
		f.results[i].Exit = -1
		s.pump(&f.results[i], &f.commands[i])
	}
	return nil
}

// socketPair returns two connected sockets, like os.Pipe.
func socketPair() (r, w *os.File, err error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(ends[0]), "|0"), os.NewFile(uintptr(ends[1]), "|1"), nil
}

func appendList(request, l []string) []string {
	return append(append(request, strconv.Itoa(len(l))), l...)
}

// await returns when the supervisor has ended the firing, or has ended itself.
func (f *firing) await(ctx context.Context) {
	done := ctx.Done()
	bound := time.NewTimer(killBound)
	bound.Stop()
	defer bound.Stop()
	patience := f.b.patience
	kill := func(command int) {
		_ = f.b.send(nil, supervisor.Kill, strconv.Itoa(command))
		patience = killBound
		bound.Reset(patience)
	}
	var look <-chan time.Time
	if f.b.cgroup != nil {
		ticker := time.NewTicker(cgroupPoll)
		defer ticker.Stop()
		look = ticker.C
	}
	for {
		select {
		case a, ok := <-f.b.answers:
			if !ok {
				f.markLost()
				return
			}
			if f.take(a) {
				return
			}
			if !slices.Contains(f.ended, false) {
				bound.Reset(patience) // no timeout of a command applies to what is left
			}
		case i := <-f.timeouts:
			if !f.ended[i] {
				f.results[i].TimedOut = true
				kill(i)
			}
		case <-look:
			if f.b.cgroup.hasExceeded() {
				f.over, look = true, nil
				kill(-1)
			}
		case <-done:
			done = nil
			kill(-1)
		case <-bound.C:
			f.b.abandon() // it is stopped or stuck; its children become ours
		}
	}
}

// take handles an answer and reports whether it is the last.
func (f *firing) take(a answer) bool {
	switch a.fields[0] {
	case supervisor.Started:
		notify(f.b.began)
	case supervisor.Exited:
		i, _ := strconv.Atoi(a.fields[1])
		status, _ := strconv.ParseUint(a.fields[3], 10, 32)
		f.recordExit(i, errnoIn(a.fields[2]), syscall.WaitStatus(status))
	case supervisor.Exceeded:
		f.over = true
	case supervisor.Accessed:
		f.results[0].Accesses = a.fields[1:]
	case supervisor.Done:
		last := &f.results[len(f.results)-1]
		last.Left, _ = strconv.Atoi(a.fields[1])
		last.Most, _ = strconv.Atoi(a.fields[2])
		named, _ := strconv.Atoi(a.fields[3])
		last.LeftBehind, last.Refused = a.fields[4:4+named], a.fields[4+named:]
		for i, name := range last.LeftBehind {
			plain, holds := strings.CutPrefix(name, supervisor.Holding)
			last.LeftBehind[i], last.HoldsOutput = plain, last.HoldsOutput || holds
		}
		f.blame()
		f.b.idle = true
		return true
	}
	return false
}

// blame sets Memory for the commands that exceeded the memory limit, if it was exceeded:
// those that were killed, or all if none was, because the killed process may have been a
// child of any.
func (f *firing) blame() {
	if !f.over && !f.b.cgroup.hasExceeded() {
		return
	}
	killed := func(r *Result) bool { return r.Signal == "SIGKILL" || r.Exit == 128+int(unix.SIGKILL) }
	some := false
	for i := range f.results {
		some = some || killed(&f.results[i])
	}
	for i := range f.results {
		if r := &f.results[i]; !some || killed(r) {
			r.Memory = f.b.limits.Memory
		}
	}
}

func (f *firing) recordExit(i int, errno syscall.Errno, status syscall.WaitStatus) {
	r := &f.results[i]
	f.ended[i] = true
	r.Duration = time.Since(f.begin)
	switch {
	case errno != 0:
		r.StartError = f.startError(i, errno)
		f.short = cmp.Or(f.short, shortageOf(errno))
	case status.Signaled():
		r.Signal = unix.SignalName(status.Signal())
	default:
		r.Exit = status.ExitStatus()
	}
}

// startError returns the error for a command that could not be started. It checks the file
// system first, because that describes the cause better than errno does.
func (f *firing) startError(i int, errno syscall.Errno) error {
	c := &f.commands[i]
	if _, err := LookPath(c.Argv[0], c.Dir, c.Env); err != nil && !f.b.confined {
		return err
	}
	if errno == syscall.ENOENT && !hasSlash(c.Argv[0]) {
		return &fs.PathError{Op: "find", Path: c.Argv[0], Err: errNotInPath}
	}
	return &fs.PathError{Op: "run", Path: c.Argv[0], Err: errno}
}

// markLost marks the running commands as killed, because the supervisor ended and they ended
// with it.
func (f *firing) markLost() {
	for i := range f.results {
		if !f.ended[i] {
			f.results[i].Signal = "SIGKILL"
			f.results[i].Duration = time.Since(f.begin)
		}
	}
	f.blame() // the supervisor may have been killed for its memory, too
}

// collect waits for the ends of the streams, up to killBound because another process may
// keep the pipes open.
func (f *firing) collect() {
	for i, s := range f.streams {
		left, err := unix.IoctlGetInt(int(f.inputs[i].Fd()), unix.TIOCINQ)
		_ = f.inputs[i].Close()
		bound := time.AfterFunc(killBound, s.close)
		s.wg.Wait()
		bound.Stop()
		if given := len(f.commands[i].Stdin); err == nil && given > 0 && left == given {
			f.results[i].StdinUnread = true
		}
	}
}

func (f *firing) close() {
	closeAll(f.inputs)
	for _, s := range f.streams {
		s.close()
	}
}

// ending counts the supervisors that are being taken down.
var ending atomic.Int32

// awaitRemoval waits until the cgroups of supervisors that are ending have been removed, because
// they would remain if this process ended first.
func awaitRemoval() {
	cgroups.mu.Lock()
	live := cgroups.live
	cgroups.mu.Unlock()
	for begin := time.Now(); live > 0 && ending.Load() > 0 && time.Since(begin) < killBound; {
		time.Sleep(time.Millisecond)
	}
}

// Adopt makes hookwatch the parent of processes that a dead supervisor leaves, so that a
// hook which kills its own parent cannot escape. Call it once, early; it fails only on
// kernels older than 3.4.
func Adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// supervisors lists the running supervisors and spawners. Every other child of this
// process outside its session is an orphan of a dead supervisor.
var supervisors struct {
	starting sync.RWMutex // read-locked while one is started, locked while orphans are killed
	pids     sync.Map
}

func startRegistered(start func() (*os.Process, error)) (*os.Process, error) {
	supervisors.starting.RLock()
	defer supervisors.starting.RUnlock()
	p, err := start()
	if err == nil {
		supervisors.pids.Store(p.Pid, true)
	}
	return p, err
}

// endOrphans kills every child of this process that does not belong to a running
// supervisor.
func endOrphans() {
	supervisors.starting.Lock()
	defer supervisors.starting.Unlock()
	for {
		pids := orphans()
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = unix.Kill(pid, unix.SIGKILL)
			var status unix.WaitStatus
			_, _ = unix.Wait4(pid, &status, 0, nil)
		}
	}
}

func orphans() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	session, err := unix.Getsid(0)
	if err != nil {
		return nil
	}
	self := os.Getpid()
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if _, ours := supervisors.pids.Load(pid); err != nil || ours {
			continue
		}
		if parent, of, ok := stat(pid); ok && parent == self && of != session {
			pids = append(pids, pid)
		}
	}
	return pids
}

// stat reads the parent and the session of a process in /proc/PID/stat. Fields are counted from the
// last parenthesis, because the process name may contain any character.
func stat(pid int) (parent, session int, ok bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, false
	}
	_, rest, _ := strings.Cut(string(b[max(0, strings.LastIndexByte(string(b), ')')):]), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 4 {
		return 0, 0, false
	}
	parent, _ = strconv.Atoi(fields[1])
	session, _ = strconv.Atoi(fields[3])
	return parent, session, true
}
