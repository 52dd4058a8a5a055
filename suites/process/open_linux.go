package process

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"hookwatch/suites/process/supervisor"
)

func open(s Setup) (*Box, error) {
	b, err := prepare(s.Limits, s.Advance, len(s.Advance)+len(s.Steps) > 0)
	if err != nil {
		return nil, err
	}
	return b.carryOut(s.Steps)
}

// prepare starts a supervisor and has it do what can be done in advance.
func prepare(l Limits, advance []Step, confined bool) (*Box, error) {
	l.Memory = ofMachine(l.Memory)
	b := &Box{confined: confined, idle: true, answers: make(chan answer, 1), replies: make(chan answer, 1), limits: l, cgroup: cgroups.open(l)}
	if err := b.start(); err != nil {
		b.leaveCgroup()
		if short := shortageOf(err); short != nil {
			return nil, short
		}
		if b.confined {
			return nil, &ConfineError{Err: err}
		}
		return nil, fmt.Errorf("start a supervisor: %w", err)
	}
	go b.listen()
	return b.carryOut(slices.Concat(l.steps(b.cgroup == nil), advance))
}

// carryOut has the supervisor do the steps. After an error there is no box.
func (b *Box) carryOut(steps []Step) (*Box, error) {
	if len(steps) == 0 {
		return b, nil
	}
	if err := b.confine(steps); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// start starts the supervisor with one end of a socket.
func (b *Box) start() error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "supervisor"), os.NewFile(uintptr(pair[1]), "hookwatch")
	defer ours.Close()
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		return err
	}
	b.conn = conn.(*net.UnixConn)
	attr := &os.ProcAttr{
		Dir:   "/",
		Env:   []string{supervisor.Env + "=1", "GOGC=off", "GOMAXPROCS=2"}, // few threads, which hooks may use up
		Files: []*os.File{null, null, null, theirs},
		Sys:   &syscall.SysProcAttr{Setsid: true}, // no terminal for hooks
	}
	if b.confined {
		apart(attr.Sys)
	}
	if b.process, err = b.startIn(attr); err != nil {
		_ = b.conn.Close()
	}
	return err
}

// startIn starts the supervisor, in its cgroup if the system lets us.
func (b *Box) startIn(attr *os.ProcAttr) (*os.Process, error) {
	start := func() (*os.Process, error) { return os.StartProcess(self, []string{"hookwatch-case"}, attr) }
	if b.cgroup == nil {
		return startRegistered(start)
	}
	attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, int(b.cgroup.dir.Fd())
	p, err := startRegistered(start)
	if err == nil {
		return p, nil
	}
	b.leaveCgroup()
	b.cgroup, attr.Sys.UseCgroupFD = nil, false
	return startRegistered(start)
}

func (b *Box) confine(steps []Step) error {
	fields := []string{supervisor.Confine}
	for _, s := range steps {
		fields = append(fields, string(supervisor.Encode(s...)[4:]))
	}
	a, err := b.ask(b.answers, fields...)
	if err != nil {
		return lostEarly(err)
	}
	if a.file != nil {
		b.Storage = a.file
	}
	failed := func(step, errno string) *ConfineError {
		i, _ := strconv.Atoi(step)
		return &ConfineError{Step: steps[i], Err: errnoIn(errno)}
	}
	if a.fields[2] != "-1" {
		return orShortage(failed(a.fields[2], a.fields[1]))
	}
	for i := 3; i+1 < len(a.fields); i += 2 {
		missed := failed(a.fields[i], a.fields[i+1])
		if short := shortageOf(missed); short != nil {
			return short // optional is what a system may lack, not what it ran short of
		}
		b.Missed = append(b.Missed, missed)
	}
	return nil
}

func errnoIn(field string) syscall.Errno {
	n, _ := strconv.Atoi(field)
	return syscall.Errno(n)
}

// Close ends the box with everything in it. A supervisor takes a moment to end, and
// namespaces to be taken down: where nothing is left in them that is not waited for.
func (b *Box) Close() {
	b.close.Do(func() {
		tell(b.closed)
		_ = b.conn.Close()
		if b.idle {
			ending.begin()
			go func() {
				defer ending.done()
				b.end()
			}()
		} else {
			b.end()
		}
	})
}
