package supervisor

import (
	"strconv"
	"syscall"
	"unsafe"
)

// The steps of a Confine, by their first field. Each is carried out by one system call;
// which steps make a sandbox is decided elsewhere. A step whose name starts with Optional
// may fail.
const (
	Optional = "?"
	Mount    = "mount"    // source, target, type, flags, data
	Attr     = "attr"     // path, mount attributes to set, "r" for all mounts below as well
	Overlay  = "overlay"  // lower directory, target, flags, layers and options after the first lower one
	Pivot    = "pivot"    // mount that becomes the root directory, directory in it for the previous root
	Detach   = "detach"   // path of a mount, which is removed with all mounts below it and its directory
	Open     = "open"     // descriptor, path: relative paths of later steps begin at StorageFD
	Dir      = "dir"      // path, mode in octal: created with its parents unless it exists
	Symlink  = "symlink"  // target, path
	Blank    = "blank"    // path: an empty file with all times 0
	Whiteout = "whiteout" // path in an upper layer: hides the entry of the lower one
	File     = "file"     // path, mode in octal, modification time in nanoseconds, content
	Put      = "put"      // path, content: written to an existing file
	Xattr    = "xattr"    // path, name, value
	Loopback = "loopback" // up
	Keyring  = "keyring"  // replaces the session's keyring by an empty one
	Limit    = "limit"    // number of a resource, maximum value
	Watch    = "watch"    // bytes for all processes together, for the buffers of a socket, per descriptor of a pipe; mappings of a process, items of epoll of a user
	// Privileges leaves only the given capabilities, by number, to the processes that are
	// started, and no way to gain others.
	Privileges = "privileges"
	// Filter refuses system calls to the processes that are started: a BPF program, two
	// numbers that make the supervisor's own calls pass as the third and fourth argument, then
	// number, errno, name and target of each call that the kernel asks about. The target is Anyone,
	// or the argument that names a process: then the call is refused only for the supervisor itself.
	Filter = "filter"
	// Observe makes a later Filter install a BPF program that also asks about ObservedCalls,
	// and the supervisor record their paths: the program, then rules, each a directory after
	// Keep, Follow or Drop, or the size of files after Bound.
	Observe = "observe"
)

// StorageFD is the descriptor that is sent with the answer to a Confine, if a step opened
// it. Steps use descriptors from this number on, all of which are closed at the end. Lower
// ones belong to the supervisor.
const StorageFD = 16

func (s *supervising) confine(steps []string) {
	answer := []string{Confined, "0", "-1"}
	for i, step := range steps {
		f, ok := Decode([]byte(step))
		if !ok || len(f) == 0 {
			answer[1], answer[2] = strconv.Itoa(int(syscall.EINVAL)), strconv.Itoa(i)
			break
		}
		optional := f[0][0] == Optional[0]
		if optional {
			f[0] = f[0][1:]
		}
		errno := s.perform(f)
		if errno == 0 {
			continue
		}
		if !optional {
			answer[1], answer[2] = strconv.Itoa(int(errno)), strconv.Itoa(i)
			break
		}
		answer = append(answer, strconv.Itoa(i), strconv.Itoa(int(errno)))
	}
	file := StorageFD
	_ = syscall.Chdir("/")
	if _, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, StorageFD, syscall.F_GETFD, 0); errno != 0 {
		file = -1
	} else if s.memory.most > 0 {
		s.memory.unmapped.keepStorage()
	}
	send(file, answer...)
	syscall.RawSyscall(sysCloseRange, StorageFD, uintptr(^uint32(0)), 0)
}

// fieldCounts is the number of fields of each step, including its name.
var fieldCounts = map[string]int{
	Mount: 6, Attr: 4, Overlay: 5, Pivot: 3, Detach: 2, Open: 3, Dir: 3, Symlink: 3, Blank: 2, Whiteout: 2, File: 5, Put: 3, Xattr: 4, Limit: 3,
	Watch: 6, Filter: 4, Observe: 2,
}

// perform carries out a step on the supervisor itself or, with the function perform, on
// the system.
func (s *supervising) perform(f []string) syscall.Errno {
	if len(f) < fieldCounts[f[0]] {
		return syscall.EINVAL
	}
	switch f[0] {
	case Watch:
		return s.watch(f[1:])
	case Filter:
		return s.filter.install(f[1], f[2:4], f[4:], s.observer)
	case Observe:
		return s.observe(f[1:])
	default:
		return perform(f)
	}
}

func perform(f []string) syscall.Errno {
	switch f[0] {
	case Mount:
		return errnoOf(syscall.Mount(f[1], f[2], f[3], uintptr(number(f[4], 10)), f[5]))
	case Attr:
		return setAttributes(f[1], uint64(number(f[2], 10)), f[3] == "r")
	case Open:
		return openAt(number(f[1], 10), f[2])
	case Overlay:
		return overlay(f[1], f[2], number(f[3], 10), f[4])
	case Pivot:
		return errnoOf(syscall.PivotRoot(f[1], f[2]))
	case Detach:
		return detach(f[1])
	case Dir:
		return makeDirs(f[1], uint32(number(f[2], 8)))
	case Symlink:
		return unless(syscall.EEXIST, syscall.Symlink(f[1], f[2]))
	case Blank:
		return blank(f[1])
	case Whiteout:
		return errnoOf(syscall.Mknod(f[1], syscall.S_IFCHR, 0))
	case File:
		return file(f[1], uint32(number(f[2], 8)), int64(number(f[3], 10)), f[4])
	case Put:
		return put(f[1], f[2])
	case Xattr:
		return errnoOf(syscall.Setxattr(f[1], f[2], []byte(f[3]), 0))
	case Loopback:
		return loopback()
	case Keyring:
		const joinSession = 1
		_, _, errno := syscall.RawSyscall(syscall.SYS_KEYCTL, joinSession, 0, 0)
		return errno
	case Limit:
		return lower(number(f[1], 10), uint64(number(f[2], 10)))
	case Privileges:
		return dropPrivileges(f[1:])
	default:
		return syscall.ENOSYS
	}
}

// lower sets a limit unless it is already lower.
func lower(resource int, most uint64) syscall.Errno {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(resource, &now); err != nil {
		return errnoOf(err)
	}
	return errnoOf(syscall.Setrlimit(resource, &syscall.Rlimit{Cur: min(now.Cur, most), Max: min(now.Max, most)}))
}

const oPath = 0x200000

func openAt(fd int, path string) syscall.Errno {
	f, err := syscall.Open(path, oPath|syscall.O_CLOEXEC, 0)
	if err != nil {
		return errnoOf(err)
	}
	err = syscall.Dup3(f, fd, syscall.O_CLOEXEC)
	_ = syscall.Close(f)
	if err == nil && fd == StorageFD {
		err = syscall.Fchdir(fd)
	}
	return errnoOf(err)
}

// overlay mounts an overlay of a directory. The directory is passed as a descriptor,
// because the options separate names by commas and colons.
func overlay(lower, target string, flags int, layers string) syscall.Errno {
	f, err := syscall.Open(lower, oPath|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return errnoOf(err)
	}
	err = syscall.Mount("overlay", target, "overlay", uintptr(flags), "lowerdir=/proc/self/fd/"+strconv.Itoa(f)+layers)
	_ = syscall.Close(f)
	return errnoOf(err)
}

func detach(path string) syscall.Errno {
	if err := syscall.Unmount(path, syscall.MNT_DETACH); err != nil {
		return errnoOf(err)
	}
	return errnoOf(syscall.Rmdir(path))
}

func setAttributes(path string, set uint64, recursive bool) syscall.Errno {
	const atRecursive = 0x8000
	attr := [4]uint64{set} // to set, to clear, propagation, user namespace
	flags := uintptr(0)
	if recursive {
		flags = atRecursive
	}
	p, err := syscall.BytePtrFromString(path)
	if err != nil {
		return syscall.EINVAL
	}
	_, _, errno := syscall.Syscall6(sysMountSetattr, uintptr(at), uintptr(unsafe.Pointer(p)), flags,
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	return errno
}

// makeDirs creates a directory and its parents. Existing ones are not changed.
func makeDirs(path string, mode uint32) syscall.Errno {
	err := syscall.Mkdir(path, mode)
	if err == syscall.ENOENT {
		if up := parent(path); up != "" {
			if errno := makeDirs(up, 0o755); errno != 0 {
				return errno
			}
		}
		err = syscall.Mkdir(path, mode)
	}
	if err == nil && mode != 0o755 {
		err = syscall.Chmod(path, mode) // because of the umask
	}
	return unless(syscall.EEXIST, err)
}

func parent(path string) string {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' {
			return path[:i]
		}
	}
	return ""
}

// blank creates an empty file whose access time shows later whether it was read.
func blank(path string) syscall.Errno {
	fd, err := syscall.Open(path, syscall.O_CREAT|syscall.O_EXCL|syscall.O_WRONLY|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return errnoOf(err)
	}
	_ = syscall.Close(fd)
	return errnoOf(syscall.UtimesNano(path, []syscall.Timespec{{}, {}}))
}

// file creates a file.
func file(path string, mode uint32, mtime int64, content string) syscall.Errno {
	fd, err := syscall.Open(path, syscall.O_CREAT|syscall.O_EXCL|syscall.O_WRONLY|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return errnoOf(err)
	}
	defer syscall.Close(fd)
	if errno := writeAll(fd, content); errno != 0 {
		return errno
	}
	if err := syscall.Fchmod(fd, mode); err != nil { // because of the umask
		return errnoOf(err)
	}
	t := syscall.NsecToTimespec(mtime)
	return errnoOf(syscall.UtimesNano(path, []syscall.Timespec{t, t}))
}

func put(path, content string) syscall.Errno {
	fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return errnoOf(err)
	}
	defer syscall.Close(fd)
	return writeAll(fd, content)
}

// loopback brings up the namespace's only interface.
func loopback() syscall.Errno {
	const siocSIFFlags = 0x8914
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return errnoOf(err)
	}
	defer syscall.Close(fd)
	request := struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}{name: [16]byte{'l', 'o'}, flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), siocSIFFlags, uintptr(unsafe.Pointer(&request)))
	return errno
}

// dropPrivileges leaves only the named capabilities to the calling thread, which starts
// all commands. A hook with the others could remove its own sandbox. It also makes the
// supervisor untraceable, because its other threads keep their capabilities and a hook
// must not take control of them.
func dropPrivileges(keep []string) syscall.Errno {
	const prCapbsetDrop, prCapAmbient, clearAll = 24, 47, 4
	var set uint64
	for _, c := range keep {
		set |= 1 << number(c, 10)
	}
	for c := uintptr(0); c < 64; c++ {
		if set&(1<<c) != 0 {
			continue
		}
		if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prCapbsetDrop, c, 0); errno == syscall.EINVAL {
			break // all of the kernel's capabilities are handled
		} else if errno != 0 {
			return errno
		}
	}
	syscall.RawSyscall6(syscall.SYS_PRCTL, prCapAmbient, clearAll, 0, 0, 0, 0)
	if errno := setCapabilities(set); errno != 0 {
		return errno
	}
	if errno := noNewPrivileges(); errno != 0 {
		return errno
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0)
	return errno
}

// noNewPrivileges keeps the programs that the calling thread starts from gaining rights.
func noNewPrivileges() syscall.Errno {
	const prSetNoNewPrivs = 38
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0, 0)
	return errno
}

func setCapabilities(set uint64) syscall.Errno {
	const version3 = 0x20080522
	header := struct {
		version uint32
		pid     int32
	}{version: version3}
	low, high := uint32(set), uint32(set>>32)
	data := [2]struct{ effective, permitted, inheritable uint32 }{{low, low, 0}, {high, high, 0}}
	_, _, errno := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&data)), 0)
	return errno
}

// defaultSignals removes the runtime's signal handlers, because the kernel does not
// deliver signals without a handler to process 1, and so no hook can end it. Ignoring them
// instead would be inherited by the hooks.
func defaultSignals() {
	var action [64]byte // SIG_DFL, no flags, an empty mask
	for sig := uintptr(1); sig <= 64; sig++ {
		syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, sig, uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
	}
}
