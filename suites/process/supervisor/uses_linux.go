package supervisor

import (
	"strconv"
	"syscall"
	"unsafe"
)

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

// use records the use of a path, given as it is written.
func (o *observer) use(raw []byte, p purpose, flags uint64) {
	switch p {
	case opened, openedAs:
		o.recordOpen(raw, flags)
	case listed:
		o.add(raw, Listed)
	case executed:
		o.recordExec(raw, 0)
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
		o.recordMove(raw)
	case movedTo:
		const exchange = 2
		if flags&exchange != 0 {
			o.recordMove(raw)
		}
		o.add(raw, Asked)
		o.wrote(raw)
		o.record.links++
	case locked, lockedRange:
		taken := p == locked && flags&8 == 0 || p == lockedRange && (flags|1 == 7 || flags == 37 || flags == 38) // not LOCK_UN; F_SETLK, F_SETLKW and F_OFD_
		if o.order != nil && taken {
			o.order.note(o.cleanPath(raw), Tried)
		}
	case shared:
		o.add(raw, Asked)
		o.add(raw, Opened)
		o.add(raw, Data)
	default:
		o.add(raw, Asked)
	}
}

func (o *observer) recordOpen(raw []byte, flags uint64) {
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

// recordMove records that a path gets another name. What is below a directory would be read by
// that name later.
func (o *observer) recordMove(raw []byte) {
	u := o.record.paths[text(o.cleanPath(raw))]
	created := u != nil && u.has(Created)
	if mode, ok := o.stat(raw); ok && mode&syscall.S_IFMT == syscall.S_IFDIR && !created {
		if o.rule(o.cleanPath(raw)) == Keep {
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

// recordExec records a program, and the interpreters that its first line names.
func (o *observer) recordExec(raw []byte, depth int) {
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
		o.recordExec(name, depth+1)
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
	clean := o.cleanPath(raw)
	if o.order != nil && o.rule(clean) != Drop {
		o.order.note(clean, kind)
	}
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

// cleanPath returns a path without . and .. and double slashes, in o.clean.
func (o *observer) cleanPath(raw []byte) []byte {
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

func (o *observer) terminate(path []byte) uintptr {
	n := copy(o.named[:len(o.named)-1], path)
	o.named[n] = 0
	return uintptr(unsafe.Pointer(&o.named[0]))
}

func (o *observer) open(path []byte, flags int) (int, syscall.Errno) {
	fd, _, errno := syscall.RawSyscall6(syscall.SYS_OPENAT, uintptr(at), o.terminate(path), uintptr(flags|syscall.O_CLOEXEC), 0, uintptr(o.key[0]), uintptr(o.key[1]))
	return int(fd), errno
}

func (o *observer) readLink(path, target []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_READLINKAT, uintptr(at), o.terminate(path), uintptr(unsafe.Pointer(&target[0])), uintptr(len(target)), uintptr(o.key[0]), uintptr(o.key[1]))
	return int(n), errno
}

// stat returns the mode of a file, which may be a symbolic link.
func (o *observer) stat(path []byte) (mode uint32, ok bool) {
	const noFollow = 0x100 // AT_SYMLINK_NOFOLLOW
	var st syscall.Stat_t
	_, _, errno := syscall.RawSyscall6(sysNewfstatat, uintptr(at), o.terminate(path), uintptr(unsafe.Pointer(&st)), noFollow, uintptr(o.key[0]), uintptr(o.key[1]))
	return st.Mode, errno == 0
}

func (o *observer) exists(path []byte) bool {
	_, ok := o.stat(path)
	return ok
}
