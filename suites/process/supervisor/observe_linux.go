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

// A record is what was observed so far.
type record struct {
	paths   map[string]*uses
	bytes   int
	links   int    // number of calls that may have changed where a path leads
	missing string // why it is not complete; "" if it is
}

type uses struct {
	kinds  [7]byte // in the order of their first occurrence
	n      int
	links  int // record.links when its target was last looked up
	hidden bool
}

// Bounds of a record.
const (
	pathsAtMost = 10_000
	bytesAtMost = 2 << 20
)

func (u *uses) has(kind byte) bool {
	for _, k := range u.kinds[:u.n] {
		if k == kind {
			return true
		}
	}
	return false
}

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
	asked     purpose = iota // existence or metadata
	opened                   // with flags
	openedAs                 // with flags in memory
	listed                   // a directory
	executed                 //
	altered                  // removed, or its own metadata changed even if it is a link
	changed                  // its metadata or size changed
	made                     // fails if it exists
	replaced                 // created or truncated
	movedAway                // gets another name
	movedTo                  // with flags: see renameat2
	shared                   // gets another name in addition
	unnamed                  // the path is not known
)

// unknownCall is a call for another architecture.
var unknownCall = observedCall{operands: []operand{{noDir, noPath, unnamed, noFlags}}}

// ObservedCalls returns the numbers of the calls that an observing filter asks about.
func ObservedCalls() []uint32 {
	var all []uint32
	for _, c := range observed() {
		all = append(all, uint32(c.number))
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
	for _, c := range observed() {
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
		unreadable := o.observed(c)
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

// observed records the paths of the pending call. It reports whether one could not be
// read, which does not matter if the process has ended.
func (o *observer) observed(c *observedCall) (unreadable bool) {
	own := o.n.pid == o.self
	if !own && !o.recording {
		return false
	}
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

// use records the use of a path, given as it is written.
func (o *observer) use(raw []byte, p purpose, flags uint64) {
	switch p {
	case opened, openedAs:
		o.opened(raw, flags)
	case listed:
		o.add(raw, Listed)
	case executed:
		o.executed(raw, 0)
	case altered:
		o.addLink(raw, Asked, Wrote)
	case changed: // the new content may consist of the old one, which counts when it is read
		o.add(raw, Asked)
		o.add(raw, Wrote)
	case made:
		o.add(raw, Asked)
		o.wrote(raw)
		o.record.links++
	case replaced:
		o.wrote(raw)
	case movedAway:
		o.moved(raw)
	case movedTo:
		const exchange = 2
		if flags&exchange != 0 {
			o.moved(raw)
		}
		o.add(raw, Asked)
		o.wrote(raw)
		o.record.links++
	case shared:
		o.add(raw, Asked)
		o.add(raw, Opened)
		o.add(raw, Data)
	default:
		o.add(raw, Asked)
	}
}

func (o *observer) opened(raw []byte, flags uint64) {
	access := flags & (syscall.O_WRONLY | syscall.O_RDWR)
	creates, truncates := flags&syscall.O_CREAT != 0, flags&syscall.O_TRUNC != 0
	switch {
	case flags&oPath != 0:
		o.add(raw, Asked)
		return
	case access == syscall.O_RDONLY && !creates && !truncates:
		o.read(raw)
		return
	}
	missing := !o.exists(raw)
	switch {
	case creates && flags&syscall.O_EXCL != 0:
		o.add(raw, Asked)
	case missing && creates:
	case access != syscall.O_WRONLY && !truncates:
		o.read(raw)
	case missing:
		o.add(raw, Asked)
	}
	if missing && creates || !missing && (access != syscall.O_RDONLY || truncates) {
		o.wrote(raw)
	}
}

// wrote records that a path is created, if it does not exist and can be, and otherwise that
// it is written: whether that succeeds is not known, so its content may still be read later.
func (o *observer) wrote(raw []byte) {
	if !o.exists(raw) && o.exists(raw[:max(1, slash(raw))]) {
		o.add(raw, Created)
	} else {
		o.add(raw, Wrote)
	}
}

// slash returns the index of the last slash that is not at the end.
func slash(path []byte) int {
	end := len(path)
	for end > 1 && path[end-1] == '/' {
		end--
	}
	for end > 0 && path[end-1] != '/' {
		end--
	}
	return max(0, end-1)
}

// moved records that a path gets another name. What is below a directory would be read by
// that name later.
func (o *observer) moved(raw []byte) {
	u := o.record.paths[text(o.cleaned(raw))]
	created := u != nil && u.has(Created)
	if mode, ok := o.stat(raw); ok && mode&syscall.S_IFMT == syscall.S_IFDIR && !created {
		if o.rule(o.cleaned(raw)) == Keep {
			o.incomplete("a process renamed a directory")
		}
	}
	o.addLink(raw, Asked, Opened, Data, Wrote)
	o.record.links++
}

// read records that a path is opened for reading. A script that only bash opens may be sourced, and
// no program sees its text.
func (o *observer) read(raw []byte) {
	o.add(raw, Opened)
	exe := append(strconv.AppendUint(append(o.named[:0], "/proc/"...), uint64(o.n.pid), 10), "/exe"...)
	if n, errno := o.readLink(exe, o.target[:pathMax]); errno != 0 || !hasSuffix(o.target[:n], "/bash") {
		o.add(raw, Data)
	}
}

// executed records a program, and the interpreters that its first line names.
func (o *observer) executed(raw []byte, depth int) {
	if len(raw) > 6 && string(raw[:6]) == "/proc/" {
		if string(raw) != "/proc/self/exe" { // which was executed by its name before
			o.incomplete("a process executed a path in /proc")
		}
		return
	}
	if !o.exists(raw) {
		o.add(raw, Asked)
		return
	}
	if !o.add(raw, Ran) || depth > 4 {
		return
	}
	fd, errno := o.open(raw, syscall.O_RDONLY|syscall.O_NONBLOCK)
	if errno != 0 {
		return
	}
	var line [256]byte
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&line[0])), uintptr(len(line)))
	syscall.RawSyscall(syscall.SYS_CLOSE, uintptr(fd), 0, 0)
	if errno != 0 {
		return
	}
	if name := interpreter(line[:n]); len(name) > 0 && name[0] == '/' {
		o.executed(name, depth+1)
	} else if len(name) > 0 {
		o.incomplete("a script names an interpreter without its path")
	}
}

// interpreter returns the program that the first line of a script names; nil if it is none.
func interpreter(line []byte) []byte {
	if len(line) < 2 || line[0] != '#' || line[1] != '!' {
		return nil
	}
	begin := 2
	for begin < len(line) && (line[begin] == ' ' || line[begin] == '\t') {
		begin++
	}
	end := begin
	for end < len(line) && line[end] != ' ' && line[end] != '\t' && line[end] != '\n' && line[end] != 0 {
		end++
	}
	return line[begin:end]
}

// rule returns the kind of the rule for a path.
func (o *observer) rule(path []byte) rune {
	kind, length := Keep, -1
	for _, r := range o.rules {
		if len(r.dir) > length && len(path) >= len(r.dir) && string(path[:len(r.dir)]) == r.dir && (len(path) == len(r.dir) || path[len(r.dir)] == '/') {
			kind, length = r.kind, len(r.dir)
		}
	}
	return kind
}

// addLink records uses of a path whose last part is not followed if it is a link.
func (o *observer) addLink(raw []byte, kinds ...byte) {
	for _, kind := range kinds {
		o.enterBoth(raw, kind, syscall.O_NOFOLLOW)
	}
}

// add records one use of a path. It reports whether it was not known.
func (o *observer) add(raw []byte, kind byte) bool { return o.enterBoth(raw, kind, 0) }

// enterBoth records a use of a path as it is written, and of the path to which links in it lead.
func (o *observer) enterBoth(raw []byte, kind byte, flags int) bool {
	clean := o.cleaned(raw)
	u := o.record.paths[string(clean)] // does not allocate
	if u != nil && u.has(kind) && u.links == o.record.links {
		return false
	}
	rule := o.rule(clean)
	if rule == Drop && kind != Ran {
		if throughProc(raw) {
			o.incomplete("a process used a path through /proc")
		}
		return false
	}
	isNew := o.enter(u, clean, kind, rule == Follow && kind != Ran)
	if target := o.resolve(raw, flags); len(target) > 0 && string(target) != string(clean) {
		if rule := o.rule(target); rule == Keep || kind == Ran {
			o.enter(o.record.paths[string(target)], target, kind, false)
		}
	}
	return isNew
}

// enter adds a use to the record and reports whether it was not known.
func (o *observer) enter(u *uses, path []byte, kind byte, hidden bool) bool {
	r := &o.record
	if u == nil {
		if len(r.paths) >= pathsAtMost || r.bytes+len(path) > bytesAtMost {
			o.incomplete("the processes used more than " + strconv.Itoa(pathsAtMost) + " paths")
			return false
		}
		u = &uses{hidden: hidden}
		r.paths[string(path)] = u
		r.bytes += len(path)
	}
	u.links = r.links
	u.hidden = u.hidden && hidden
	if u.has(kind) {
		return false
	}
	u.kinds[u.n] = kind
	u.n++
	return true
}

// throughProc reports whether a path leads through a link of /proc to another directory.
func throughProc(path []byte) bool {
	const descriptors, proc = "/dev/fd/", "/proc/"
	link := len(path) >= len(descriptors) && string(path[:len(descriptors)]) == descriptors
	begin := len(descriptors)
	if !link {
		if len(path) < len(proc) || string(path[:len(proc)]) != proc {
			return false
		}
		begin = len(proc)
	}
	for i := begin; i < len(path)-1; i++ {
		if path[i] != '/' {
			continue
		}
		part := string(path[begin:i])
		if link || part == "cwd" || part == "root" {
			return true
		}
		link, begin = part == "fd", i+1
	}
	return false
}

// cleaned returns a path without . and .. and double slashes, in o.clean.
func (o *observer) cleaned(raw []byte) []byte {
	out := o.clean[:0]
	for i := 0; i < len(raw); {
		for i < len(raw) && raw[i] == '/' {
			i++
		}
		begin := i
		for i < len(raw) && raw[i] != '/' {
			i++
		}
		switch part := raw[begin:i]; {
		case len(part) == 0 || string(part) == ".":
		case string(part) == "..":
			for len(out) > 0 && out[len(out)-1] != '/' {
				out = out[:len(out)-1]
			}
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
		default:
			out = append(append(out, '/'), part...)
		}
	}
	if len(out) == 0 {
		out = append(out, '/')
	}
	return out
}

// resolve returns the path to which a path leads, with links followed as far as it exists.
// It is empty if that cannot be found out.
func (o *observer) resolve(raw []byte, flags int) []byte {
	fd, errno := o.open(raw, oPath|flags)
	leaf := len(raw)
	if errno == syscall.ENOENT {
		leaf = slash(raw)
		fd, errno = o.open(raw[:max(1, leaf)], oPath)
	}
	if errno != 0 {
		return nil
	}
	n, errno := o.readLink(strconv.AppendInt(append(o.named[:0], "/proc/self/fd/"...), int64(fd), 10), o.target[:pathMax])
	syscall.RawSyscall(syscall.SYS_CLOSE, uintptr(fd), 0, 0)
	if errno != 0 {
		return nil
	}
	target := o.target[:n]
	if leaf < len(raw) {
		if n == 1 {
			target = target[:0]
		}
		target = append(target, raw[leaf:]...)
		for len(target) > 1 && target[len(target)-1] == '/' {
			target = target[:len(target)-1]
		}
	}
	return target
}

// The observer's own calls, with the key. A path is copied because it must end with a zero.

func (o *observer) terminated(path []byte) uintptr {
	n := copy(o.named[:len(o.named)-1], path)
	o.named[n] = 0
	return uintptr(unsafe.Pointer(&o.named[0]))
}

func (o *observer) open(path []byte, flags int) (int, syscall.Errno) {
	fd, _, errno := syscall.RawSyscall6(syscall.SYS_OPENAT, uintptr(at), o.terminated(path), uintptr(flags|syscall.O_CLOEXEC), 0, uintptr(o.key[0]), uintptr(o.key[1]))
	return int(fd), errno
}

func (o *observer) readLink(path, target []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_READLINKAT, uintptr(at), o.terminated(path), uintptr(unsafe.Pointer(&target[0])), uintptr(len(target)), uintptr(o.key[0]), uintptr(o.key[1]))
	return int(n), errno
}

// stat returns the mode of a file, which may be a symbolic link.
func (o *observer) stat(path []byte) (mode uint32, ok bool) {
	const noFollow = 0x100 // AT_SYMLINK_NOFOLLOW
	var st syscall.Stat_t
	_, _, errno := syscall.RawSyscall6(sysNewfstatat, uintptr(at), o.terminated(path), uintptr(unsafe.Pointer(&st)), noFollow, uintptr(o.key[0]), uintptr(o.key[1]))
	return st.Mode, errno == 0
}

func (o *observer) exists(path []byte) bool {
	_, ok := o.stat(path)
	return ok
}
