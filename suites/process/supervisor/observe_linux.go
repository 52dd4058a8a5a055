package supervisor

import (
	"strconv"
	"syscall"
	"unsafe"
)

// An observer records the paths that the commands use. The kernel asks about every call
// that names a path, before it carries the call out. A goroutine answers, because the
// supervisor's own calls and the start of a command are asked about too: the one that answers
// must not wait for them. All other questions are passed on to the supervisor.
//
// The goroutine's own calls pass the filter by its key (see filter), on any thread.
type observer struct {
	program   string // the filter to install
	rules     []rule
	bound     uint64 // of files, in bytes; 0 for none
	table     [512]*observedCall
	self      uint32 // PID of the supervisor
	key       [2]uint64
	begin     int       // becomes readable when there is a listener
	wake      int       // becomes readable when there are pending questions
	listening bool      // the kernel asks; used by the supervisor
	lock      chan bool // has an element while the following fields are in use

	listener  int // -1 if the kernel does not ask
	pending   []notification
	taken     []notification // the ones before
	recording bool
	record    record
	order     *ordering // nil unless the commands take turns

	// Buffers, because garbage collection is off.
	n                                     notification
	path, base, abs, clean, target, named [2 * pathMax]byte
}

// pathMax is the kernel's maximum length of a path, with its end.
const pathMax = 4096

// A rule decides what happens to the paths at and below a directory. The rule of the
// innermost directory applies.
type rule struct {
	kind rune
	dir  string
}

// The kinds of rules, the first character of a field of Observe.
const (
	Keep   = '+' // they are recorded
	Follow = '~' // only the targets of links there, and executed programs, are recorded
	Drop   = '-' // only executed programs are recorded
)

// Bound is the first character of a field of Observe with the size in bytes to which a file may be
// truncated. More is refused by the filter.
const Bound = '<'

// An observedCall is a system call that names paths.
type observedCall struct {
	number   uintptr
	operands []operand
}

// An operand is a path among the arguments of a call, given by their numbers.
type operand struct {
	dir, path int // noDir: relative to the working directory; noPath: the directory itself
	purpose   purpose
	flags     int // argument with the flags, depending on the purpose
}

const (
	noDir   = -1
	noPath  = -1
	noFlags = -1
)

type purpose int

const (
	asked       purpose = iota // existence or metadata
	opened                     // with flags
	openedAs                   // with flags in memory
	listed                     // a directory
	executed                   //
	altered                    // removed, or its own metadata changed even if it is a link
	changed                    // its metadata or size changed
	made                       // fails if it exists
	replaced                   // created or truncated
	movedAway                  // gets another name
	movedTo                    // with flags: see renameat2
	shared                     // gets another name in addition
	unnamed                    // the path is not known
	locked                     // with an operation of flock
	lockedRange                // with a command of fcntl
)

// unknownCall is a call for another architecture.
var unknownCall = observedCall{operands: []operand{{noDir, noPath, unnamed, noFlags}}}

// ObservedCalls returns the numbers of the calls that an observing filter asks about: about locks only if
// commands take turns.
func ObservedCalls(turns bool) []uint32 {
	var all []uint32
	for _, c := range observedCalls() {
		if turns || c.operands[0].purpose < locked {
			all = append(all, uint32(c.number))
		}
	}
	return all
}

// observe starts the observer. The filter comes later, because a process that started the
// goroutine behind the filter would have fewer rights.
func (s *supervising) observe(f []string) syscall.Errno {
	o := &observer{
		program: f[0], self: uint32(syscall.Getpid()), lock: make(chan bool, 1), listener: -1,
		recording: true, record: record{paths: make(map[string]*uses)},
	}
	o.setRules(f[1:])
	for _, c := range observedCalls() {
		o.table[c.number] = &c
	}
	for _, fd := range []*int{&o.begin, &o.wake} {
		n, _, errno := syscall.RawSyscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC, 0)
		if errno != 0 {
			return errno
		}
		*fd = int(n)
	}
	s.observer = o
	go o.serve()
	return 0
}

func (o *observer) setRules(fields []string) {
	for _, f := range fields {
		switch {
		case f == "":
		case f[0] == Bound:
			o.bound, _ = strconv.ParseUint(f[1:], 10, 64)
		default:
			o.rules = append(o.rules, rule{rune(f[0]), f[1:]})
		}
	}
}

// start installs the filter on the calling thread. It reports whether the kernel asks from
// now on.
func (o *observer) start(f *filter) bool {
	const newListener, waitKillable, synchronous = 8, 32, 0x40082104
	fd, errno := seccomp(o.program, newListener|waitKillable) // no signal interrupts a call that waits
	if errno == syscall.EACCES {
		noNewPrivileges()
		fd, errno = seccomp(o.program, newListener|waitKillable)
	}
	if errno == syscall.EINVAL {
		fd, errno = seccomp(o.program, newListener)
	}
	if errno == 0 {
		syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(fd), synchronous, 1) // faster, if the kernel can
		f.listener, o.listening = fd, true
		o.acquire()
		o.listener, o.key = fd, f.key
		o.release()
	}
	signal(o.begin)
	return errno == 0
}

// active reports whether the kernel asks the observer about calls.
func (o *observer) active() bool { return o != nil && o.listening }

func signal(event int) {
	one := uint64(1)
	syscall.RawSyscall(syscall.SYS_WRITE, uintptr(event), uintptr(unsafe.Pointer(&one)), 8)
}

func awaitSignal(event int) {
	for {
		var n uint64
		if _, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(event), uintptr(unsafe.Pointer(&n)), 8); errno != syscall.EINTR {
			return
		}
	}
}

// acquire does not block in the runtime, which could need another thread then.
func (o *observer) acquire() {
	for {
		select {
		case o.lock <- true:
			return
		default:
			syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
		}
	}
}

func (o *observer) release() { <-o.lock }

// take returns the questions that are for the supervisor.
func (o *observer) take() []notification {
	awaitSignal(o.wake)
	o.acquire()
	defer o.release()
	o.taken, o.pending = o.pending, o.taken[:0] // reused, because garbage collection is off
	return o.taken
}

// setRecording starts or stops recording.
func (o *observer) setRecording(on bool) {
	if o == nil {
		return
	}
	o.acquire()
	o.recording = on
	o.release()
}

// accesses returns why the record is not complete, and each path with its uses.
func (o *observer) accesses() []string {
	if o == nil {
		return []string{"the calls of the processes are not observed"}
	}
	o.acquire()
	defer o.release()
	if o.listener < 0 {
		return []string{"the system does not report the calls of the processes"}
	}
	all := []string{o.record.missing}
	for path, u := range o.record.paths {
		if !u.hidden {
			all = append(all, path, string(u.kinds[:u.n]))
		}
	}
	return all
}

func (o *observer) serve() {
	awaitSignal(o.begin)
	o.acquire()
	listener := uintptr(o.listener)
	o.release()
	for int(listener) >= 0 {
		o.n = notification{}
		n := &o.n
		_, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, listener, receiveCall, uintptr(unsafe.Pointer(n)))
		switch {
		case errno == syscall.EINTR || errno == syscall.ENOENT: // a signal, or the caller has ended
			continue
		case errno != 0:
			return
		}
		o.acquire()
		c := &unknownCall
		if n.arch == auditArch && n.call >= 0 && int(n.call) < len(o.table) {
			c = o.table[n.call]
		}
		if uintptr(n.call) == syscall.SYS_TRUNCATE && o.bound > 0 && n.arguments[1] > o.bound {
			c = nil
		}
		if c == nil {
			o.pending = append(o.pending, *n)
			o.release()
			signal(o.wake)
			continue
		}
		unreadable := o.observe(c)
		if o.order != nil && o.hold() {
			o.release()
			signal(o.wake)
			continue
		}
		r := response{id: n.id, flags: proceed}
		_, _, errno = syscall.RawSyscall(syscall.SYS_IOCTL, listener, answerCall, uintptr(unsafe.Pointer(&r)))
		if unreadable && errno == 0 {
			o.incomplete("a path that a process named could not be read")
		}
		o.release()
	}
}

func (o *observer) incomplete(why string) {
	if o.record.missing == "" {
		o.record.missing = why
	}
}

// observe records the paths of the pending call. It reports whether one could not be
// read, which does not matter if the process has ended.
func (o *observer) observe(c *observedCall) (unreadable bool) {
	if !o.recording {
		return false
	}
	own := o.n.pid == o.self
	for _, op := range c.operands {
		raw, ok := o.operand(op)
		unreadable = unreadable || !ok
		if raw == nil || !ok {
			continue
		}
		var flags uint64
		if op.flags != noFlags {
			flags = o.n.arguments[op.flags]
		}
		if op.purpose == openedAs {
			var how [3]uint64
			if _, errno := o.copy(flags, unsafe.Slice((*byte)(unsafe.Pointer(&how[0])), 24)); errno != 0 {
				continue // the call fails as well
			}
			const inRoot = 0x10
			if how[2]&inRoot != 0 {
				o.incomplete("a process opened a path in a root directory of its own")
			}
			flags = how[0]
		}
		if own {
			if flags&syscall.O_TRUNC != 0 && op.purpose == opened { // a fixture
				o.add(raw, Created)
			}
			continue
		}
		o.use(raw, op.purpose, flags)
	}
	return unreadable
}

// operand returns the absolute path of an operand, as it is written. It is nil if
// the operand is none. ok is false if it could not be found out.
func (o *observer) operand(op operand) (raw []byte, ok bool) {
	var path []byte
	if op.purpose == unnamed {
		o.incomplete("a process opened files in a way that is not observed")
		return nil, true
	}
	if op.path != noPath {
		n, errno := o.string(o.n.arguments[op.path])
		if errno == syscall.EFAULT || errno == syscall.ENAMETOOLONG {
			return nil, true // the call fails as well
		}
		if errno != 0 {
			return nil, false
		}
		path = o.path[:n]
		if n == 0 && op.purpose != executed {
			return nil, true // the call fails, or is about a descriptor
		}
		if n > 0 && path[0] == '/' {
			return path, true
		}
	}
	where := strconv.AppendUint(append(o.named[:0], "/proc/"...), uint64(o.n.pid), 10)
	if op.dir == noDir || int32(o.n.arguments[op.dir]) == atFDCWD {
		where = append(where, "/cwd"...)
	} else {
		where = strconv.AppendInt(append(where, "/fd/"...), int64(int32(o.n.arguments[op.dir])), 10)
	}
	n, errno := o.readLink(where, o.base[:])
	switch {
	case errno == syscall.ENOENT:
		return nil, true // no such descriptor, or the process has ended
	case errno != 0:
		return nil, false
	case n == 0 || o.base[0] != '/' || hasSuffix(o.base[:n], " (deleted)"):
		return nil, true
	}
	if len(path) == 0 {
		return o.base[:n], true
	}
	return append(append(append(o.abs[:0], o.base[:n]...), '/'), path...), true
}

func hasSuffix(b []byte, s string) bool {
	return len(b) >= len(s) && string(b[len(b)-len(s):]) == s
}

// string reads a string of the calling process into o.path.
func (o *observer) string(at uint64) (n int, errno syscall.Errno) {
	const usual = 256
	size := 0
	for size < pathMax {
		more := pathMax - size
		if size == 0 {
			more = usual
		}
		got, errno := o.copy(at+uint64(size), o.path[size:size+more])
		if errno != 0 {
			return 0, errno
		}
		for i, c := range o.path[size : size+got] {
			if c == 0 {
				return size + i, 0
			}
		}
		size += got
	}
	return 0, syscall.ENAMETOOLONG
}

// copy reads memory of the calling process, up to the end of the page if the next one
// cannot be read.
func (o *observer) copy(at uint64, to []byte) (int, syscall.Errno) {
	type vector struct{ base, size uint64 }
	page := uint64(syscall.Getpagesize())
	first := min(uint64(len(to)), page-at%page)
	local := struct {
		base *byte
		size uint64
	}{&to[0], uint64(len(to))}
	remote := [2]vector{{at, first}, {at + first, uint64(len(to)) - first}}
	parts := uintptr(2)
	if remote[1].size == 0 {
		parts = 1
	}
	n, _, errno := syscall.RawSyscall6(sysProcessVMReadv, uintptr(o.n.pid), uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&remote[0])), parts, 0)
	if errno == 0 && n == 0 {
		errno = syscall.EFAULT
	}
	return int(n), errno
}
