package process

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hookwatch/suites/process/supervisor"
)

// A Supervisor runs the commands of one case. It is the parent process of all of them, in separate
// namespaces if the Setup has steps.
type Supervisor struct {
	// Storage is the directory that the steps opened as the supervisor's own storage. It
	// can be read after Close. The caller of Open closes it. Nil: none.
	Storage *os.File
	// Missed are the optional steps that failed.
	Missed []*ConfineError

	process    *os.Process
	conn       *net.UnixConn
	limits     Limits  // with Memory lowered to the machine's
	cgroup     *cgroup // nil if it has none
	confined   bool
	patience   time.Duration // for an answer, before the supervisor is killed
	idle       bool          // no command or descendant of one is running
	unrecorded bool          // in Unrecorded
	answers    chan answer   // closed when the supervisor has ended
	replies    chan answer   // to requests about files, which may come while a command runs; closed when answers are
	sending    sync.Mutex    // one message after the other
	began      func()        // called whenever commands have started; may be nil
	closed     func()        // called when the supervisor is closed; may be nil
	close      sync.Once
}

// An answer is a message from the supervisor.
type answer struct {
	fields []string
	file   *os.File // nil if none came with it
}

// MemoryBound returns how the memory limit is enforced, and the limit.
func (b *Supervisor) MemoryBound() (MemoryBound, int64) {
	switch {
	case b.limits.Memory <= 0:
		return MemoryUnbounded, 0
	case b.cgroup != nil:
		return MemoryCgroup, b.limits.Memory
	default:
		return MemoryWatched, b.limits.Memory
	}
}

// alive reports whether the supervisor is running. It must not be called while an answer is
// expected.
func (b *Supervisor) alive() bool {
	select {
	case <-b.answers:
		return false
	default:
		return true
	}
}

func notify(listener func()) {
	if listener != nil {
		listener()
	}
}

// reap ends the supervisor. Process 1 of namespaces is killed, by its own handle and in whatever state
// it is, and the kernel ends all others before the wait ends. Elsewhere the supervisor has to end the
// others, and if it did not exit by itself, they may have become children of hookwatch (see Adopt).
func (b *Supervisor) reap() {
	if b.confined {
		_ = b.process.Kill()
	}
	bound := time.AfterFunc(killBound, func() { _ = b.process.Kill() })
	state, err := b.process.Wait()
	bound.Stop()
	supervisors.pids.Delete(b.process.Pid)
	if !b.confined && (err != nil || !state.Success()) {
		endOrphans()
	}
}

// abandon kills a supervisor that does not answer. It closes the connection, too, because a process that
// got its other end would keep it open, and the wait for an answer would never end.
func (b *Supervisor) abandon() {
	_ = b.process.Kill()
	_ = b.conn.Close()
}

// end waits until the supervisor has ended.
func (b *Supervisor) end() {
	for range b.answers { // discard answers that no one waits for
	}
	b.cgroup.remove()
}

func open(s Setup, by *spawner) (*Supervisor, error) {
	b, err := prepare(s.Limits, s.Advance, !s.Shared && len(s.Advance)+len(s.Steps) > 0, by)
	if err != nil {
		return nil, err
	}
	return b.carryOut(s.Steps)
}

// prepare starts a supervisor, in separate namespaces if it is confined, and runs the steps of
// advance.
func prepare(l Limits, advance []Step, confined bool, by *spawner) (*Supervisor, error) {
	l.Memory = ofMachine(l.Memory)
	b := &Supervisor{confined: confined, patience: answerBound, idle: true, answers: make(chan answer, 1), replies: make(chan answer, 1), limits: l, cgroup: cgroups.open(l)}
	if err := b.start(by); err != nil {
		b.cgroup.remove()
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

// carryOut makes the supervisor run the steps. It closes the supervisor after an error.
func (b *Supervisor) carryOut(steps []Step) (*Supervisor, error) {
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
func (b *Supervisor) start(by *spawner) error {
	conn, theirs, err := socket()
	if err != nil {
		return err
	}
	defer theirs.Close()
	sys := &syscall.SysProcAttr{Setsid: true} // no terminal for hooks
	if b.confined {
		isolate(sys)
	}
	b.conn = conn
	if b.process, err = b.startIn(sys, theirs, by); err != nil {
		_ = b.conn.Close()
	}
	return err
}

// startIn starts the supervisor, in its cgroup if the system allows it.
func (b *Supervisor) startIn(sys *syscall.SysProcAttr, theirs *os.File, by *spawner) (*os.Process, error) {
	start := func() (*os.Process, error) {
		return startRegistered(func() (*os.Process, error) {
			if p, err, ok := by.start(sys, theirs); ok {
				return p, err
			}
			return startSelf(supervisor.Argv, supervisor.Environment, sys, theirs)
		})
	}
	if b.cgroup == nil {
		return start()
	}
	sys.UseCgroupFD, sys.CgroupFD = true, int(b.cgroup.dir.Fd())
	p, err := start()
	if err == nil {
		return p, nil
	}
	b.cgroup.remove()
	b.cgroup, sys.UseCgroupFD = nil, false
	return start()
}

func (b *Supervisor) confine(steps []Step) error {
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
			return short // optional steps may be unsupported, but a shortage is an error
		}
		b.Missed = append(b.Missed, missed)
	}
	return nil
}

func errnoIn(field string) syscall.Errno {
	n, _ := strconv.Atoi(field)
	return syscall.Errno(n)
}

// Close ends the supervisor with everything that it started. The end of a process and its
// namespaces takes a moment, so Close does not wait for it if nothing runs there.
func (b *Supervisor) Close() {
	b.close.Do(func() {
		notify(b.closed)
		_ = b.conn.Close()
		if b.idle {
			ending.Add(1)
			go func() {
				defer ending.Add(-1)
				b.end()
			}()
		} else {
			b.end()
		}
	})
}

// listen reads answers until the supervisor ends for any reason, and then waits for it, because one
// that dies while it is kept ready must not remain a zombie.
func (b *Supervisor) listen() {
	for {
		a, err := receive(b.conn)
		if err != nil {
			break
		}
		if a.fields[0] == supervisor.Reply {
			b.replies <- a
		} else {
			b.answers <- a
		}
	}
	_ = b.conn.Close()
	b.reap()
	close(b.answers)
	close(b.replies)
}

// receive reads a message, with the descriptor that came with it.
func receive(conn *net.UnixConn) (answer, error) {
	var head [4]byte
	oob := make([]byte, unix.CmsgSpace(4))
	n, oobn, _, _, err := conn.ReadMsgUnix(head[:], oob)
	if err != nil {
		return answer{}, err
	}
	a := answer{file: receiveFile(oob[:oobn])}
	if _, err := io.ReadFull(conn, head[n:]); err != nil {
		return answer{}, err
	}
	body := make([]byte, supervisor.Length(head))
	if _, err := io.ReadFull(conn, body); err != nil {
		return answer{}, err
	}
	var ok bool
	if a.fields, ok = supervisor.Decode(body); !ok || len(a.fields) == 0 {
		return answer{}, errors.New("the supervisor's answer is broken")
	}
	return a, nil
}

func receiveFile(oob []byte) *os.File {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil || len(messages) == 0 {
		return nil
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) == 0 {
		return nil
	}
	unix.CloseOnExec(fds[0])
	return os.NewFile(uintptr(fds[0]), "storage")
}

func (b *Supervisor) send(files []*os.File, fields ...string) error {
	b.sending.Lock()
	defer b.sending.Unlock()
	fds := make([]int, len(files))
	for i, f := range files {
		fds[i] = int(f.Fd())
	}
	return send(b.conn, fds, fields...)
}

// send writes a message, with descriptors.
func send(conn *net.UnixConn, fds []int, fields ...string) error {
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	message := supervisor.Encode(fields...)
	n, _, err := conn.WriteMsgUnix(message, oob, nil)
	for err == nil && n < len(message) {
		var more int
		more, err = conn.Write(message[n:])
		n += more
	}
	return err
}

// answerBound is the time for an answer that does not depend on a hook. It is long, because many
// supervisors may be at work on a busy machine.
const answerBound = 30 * time.Second

// ask sends a request and waits for its answer on the given channel.
func (b *Supervisor) ask(answers <-chan answer, fields ...string) (answer, error) {
	if err := b.send(nil, fields...); err != nil {
		return answer{}, err
	}
	bound := time.AfterFunc(b.patience, b.abandon)
	defer bound.Stop()
	a, ok := <-answers
	if !ok {
		return answer{}, errLost
	}
	return a, nil
}

var errLost = errors.New("the supervisor ended")

// WriteFile creates a file, with its directories, in the file system that the commands see. It may
// be called while a command runs, but not concurrently with another file method.
func (b *Supervisor) WriteFile(path, content string, mode fs.FileMode) error {
	_, err := b.request("write", path, supervisor.Write, path, strconv.FormatUint(uint64(mode.Perm()), 8), content)
	return err
}

// ReadFile returns the beginning of a regular file, up to DefaultLimit bytes, in the file system
// that the commands see.
func (b *Supervisor) ReadFile(path string) ([]byte, error) {
	a, err := b.request("read", path, supervisor.Read, path, strconv.Itoa(DefaultLimit))
	if err != nil {
		return nil, err
	}
	return []byte(a.fields[2]), nil
}

// Accesses returns the paths that the commands used so far, and why they are not all known, "" if
// they are. The steps decide whether they are recorded.
func (b *Supervisor) Accesses() (all []Access, unobserved string) {
	a, err := b.request("observe", "paths", supervisor.Accesses)
	if err != nil {
		return nil, "the supervisor of the case ended"
	}
	fields, ok := supervisor.Decode([]byte(a.fields[2]))
	if !ok || len(fields) == 0 {
		return nil, "the answer of the supervisor is broken"
	}
	for i := 1; i+1 < len(fields); i += 2 {
		all = append(all, Access{fields[i], fields[i+1]})
	}
	slices.SortFunc(all, func(a, b Access) int { return strings.Compare(a.Path, b.Path) })
	return all, fields[0]
}

// Unrecorded calls do, and records no path that its commands use or that it writes.
func (b *Supervisor) Unrecorded(do func() error) error {
	if err := b.send(nil, supervisor.Record, "0"); err != nil {
		return err
	}
	b.unrecorded = true
	err := do()
	b.unrecorded = false
	return errors.Join(err, b.send(nil, supervisor.Record, "1"))
}

// Listen opens a port on the commands' loopback interface.
func (b *Supervisor) Listen() (net.Listener, error) {
	a, err := b.request("listen", "127.0.0.1", supervisor.Listen)
	if err != nil {
		return nil, err
	}
	defer a.file.Close()
	return net.FileListener(a.file)
}

func (b *Supervisor) request(op, path string, fields ...string) (answer, error) {
	a, err := b.ask(b.replies, fields...)
	if err == nil {
		if errno := errnoIn(a.fields[1]); errno != 0 {
			err = errno
		}
	}
	if err != nil {
		return answer{}, &fs.PathError{Op: op, Path: path, Err: err}
	}
	return a, nil
}
