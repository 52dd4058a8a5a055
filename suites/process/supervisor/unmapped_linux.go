package supervisor

import (
	"strconv"
	"syscall"
	"unsafe"
)

// unmapped is the memory of the namespaces that no process need map: of files in
// memory, of System V IPC, of sockets and of pipes.
type unmapped struct {
	perSocket     int // bytes that the buffers of one socket may have, at most
	perDescriptor int // bytes that a pipe may hold for each of its descriptors
	storage       int // descriptor of the file system in memory; 0: none
	memfds        []int
	probe         int // netlink socket that lists other sockets, made before calls are filtered; 0: none
}

// watch sets the bound on memory: bytes for all, for each socket, for each
// descriptor.
func (s *supervising) watch(f []string) syscall.Errno {
	m := &s.memory
	m.most = number(f[0], 10)
	m.unmapped.perSocket, m.unmapped.perDescriptor = number(f[1], 10), number(f[2], 10)
	if s.first {
		m.unmapped.probe = openProbe()
	}
	return 0
}

// keepStorage keeps the descriptor of the file system in memory that the steps
// opened as the storage.
func (u *unmapped) keepStorage() {
	const duplicateAbove = 4
	if fd, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, StorageFD, syscall.F_DUPFD_CLOEXEC, duplicateAbove); errno == 0 {
		u.storage = int(fd)
	}
}

// measure returns the bytes of the objects that processes may map, and how many
// the kernel may hold beside them.
func (u *unmapped) measure(r *procReader, pids []int) (objects, estimate int) {
	objects = u.stored() + u.inMemfds() + sharedSegments()
	estimate = messages() + semaphores()
	for _, pid := range pids {
		estimate += r.openDescriptors(pid) * u.perDescriptor
	}
	return objects, estimate + u.inSockets(r)
}

// stored returns the bytes of the files in the storage.
func (u *unmapped) stored() int {
	const tmpfs = 0x01021994
	var st syscall.Statfs_t
	if u.storage == 0 {
		return 0
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_FSTATFS, uintptr(u.storage), uintptr(unsafe.Pointer(&st)), 0)
	if errno != 0 || int64(st.Type) != tmpfs {
		return 0
	}
	return int(st.Blocks-st.Bfree) * int(st.Bsize)
}

// The kernel's summaries of the System V objects in our namespace, processes
// attached or not.

func sharedSegments() int {
	const shmInfo = 14
	var info struct {
		segments                                   int32
		total, resident, swapped, tried, succeeded uint64
	}
	if _, _, errno := syscall.RawSyscall(sysShmctl, 0, shmInfo, uintptr(unsafe.Pointer(&info))); errno != 0 {
		return 0
	}
	return int(info.resident+info.swapped) * syscall.Getpagesize()
}

func messages() int {
	const msgInfo, perQueue, perMessage = 12, 256, 64
	var info struct {
		queues, messages, _, _, _, _, bytes int32
		_                                   uint16
	}
	if _, _, errno := syscall.RawSyscall(sysMsgctl, 0, msgInfo, uintptr(unsafe.Pointer(&info))); errno != 0 {
		return 0
	}
	return int(info.queues)*perQueue + int(info.messages)*perMessage + int(info.bytes)
}

func semaphores() int {
	const semInfo, perSet, perSemaphore = 19, 512, 64
	var info [10]int32
	if _, _, errno := syscall.RawSyscall6(sysSemctl, 0, 0, semInfo, uintptr(unsafe.Pointer(&info)), 0, 0); errno != 0 {
		return 0
	}
	sets, all := int(info[7]), int(info[9])
	return sets*perSet + all*perSemaphore
}

// inSockets returns the bytes that the sockets of our network hold. Those that the
// kernel does not list, such as one that is closed while what it sent waits to be
// read, count with the most that they may hold.
func (u *unmapped) inSockets(r *procReader) int {
	sockets := countSockets(r)
	if u.probe != 0 {
		sockets--
	}
	if sockets <= 0 {
		return 0
	}
	listed, held := u.listSockets(r)
	return held + max(0, sockets-listed)*u.perSocket
}

// countSockets returns how many sockets there are in our network, those of closed
// descriptors with data on its way included.
func countSockets(r *procReader) int {
	r.open("/proc/self/net/sockstat", 0, "", 0, "")
	const label = "sockets: used "
	b := r.content()
	if len(b) < len(label) || string(b[:len(label)]) != label {
		return 0
	}
	return leadingNumber(b[len(label):])
}

// A memfd is a file in memory without a name in any file system, so no bound on
// one holds for it. Each is made by us, at a command's request, and we keep a
// descriptor of our own: it counts as long as anybody has it, in whatever way.

// memfdsAtMost bounds how many of them a case may have at a time.
const memfdsAtMost = 1024

// serveMemfd makes a memfd for a command that calls for it, whose call waits.
func (f *filter) serveMemfd(n *notification, u *unmapped) syscall.Errno {
	if len(u.memfds) >= memfdsAtMost {
		if u.inMemfds(); len(u.memfds) >= memfdsAtMost {
			return syscall.ENFILE
		}
	}
	const closeOnExec = 1
	var name [memfdName]byte
	n.readName(&name)
	fd, _, errno := syscall.RawSyscall6(sysMemfdCreate, uintptr(unsafe.Pointer(&name[0])), uintptr(uint32(n.arguments[1])|closeOnExec),
		uintptr(f.key[0]), uintptr(f.key[1]), 0, 0)
	if errno != 0 {
		return errno
	}
	defer syscall.RawSyscall(syscall.SYS_CLOSE, fd, 0, 0)
	// The kernel counts who has a file open for writing, but not for the descriptor
	// with which a memfd comes.
	theirs, errno := reopen(int(fd), syscall.O_RDWR)
	if errno != 0 {
		return syscall.ENFILE
	}
	defer syscall.RawSyscall(syscall.SYS_CLOSE, uintptr(theirs), 0, 0)
	ours, errno := reopen(int(fd), syscall.O_RDONLY)
	if errno != 0 {
		return syscall.ENFILE
	}
	const addFD, andAnswer = 0x40182103, 2
	add := struct {
		id                           uint64
		flags, fd, newFD, newFDFlags uint32
	}{id: n.id, flags: andAnswer, fd: uint32(theirs)}
	if n.arguments[1]&closeOnExec != 0 {
		add.newFDFlags = syscall.O_CLOEXEC
	}
	_, _, errno = syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(f.listener), addFD, uintptr(unsafe.Pointer(&add)))
	if errno != 0 {
		syscall.RawSyscall(syscall.SYS_CLOSE, uintptr(ours), 0, 0)
		return errno
	}
	u.memfds = append(u.memfds, ours)
	return 0
}

// memfdName is the kernel's bound on the name of a memfd, with its end.
const memfdName = 250

// readName reads the name that a command gives to a memfd. It is for people only:
// where it cannot be read, another one does.
func (n *notification) readName(name *[memfdName]byte) {
	type vector struct {
		base *byte
		size uint64
	}
	local := vector{&name[0], uint64(len(name) - 1)}
	remote := struct{ base, size uint64 }{n.arguments[0], local.size}
	_, _, errno := syscall.RawSyscall6(sysProcessVMReadv, uintptr(n.pid), uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&remote)), 1, 0)
	if errno != 0 {
		copy(name[:], "memfd\x00")
	}
}

// reopen opens the file of one of our descriptors once more.
func reopen(fd int, flags int) (int, syscall.Errno) {
	path := append(strconv.AppendInt([]byte("/proc/self/fd/"), int64(fd), 10), 0)
	again, _, errno := syscall.RawSyscall6(syscall.SYS_OPENAT, uintptr(at), uintptr(unsafe.Pointer(&path[0])), uintptr(flags|syscall.O_CLOEXEC), 0, 0, 0)
	return int(again), errno
}

// inMemfds returns the bytes of all memfds, and gives up those that nobody else
// has any more.
func (u *unmapped) inMemfds() int {
	const block = 512
	sum, kept := 0, u.memfds[:0]
	for _, fd := range u.memfds {
		if unused(fd) {
			syscall.RawSyscall(syscall.SYS_CLOSE, uintptr(fd), 0, 0)
			continue
		}
		var st syscall.Stat_t
		if _, _, errno := syscall.RawSyscall(syscall.SYS_FSTAT, uintptr(fd), uintptr(unsafe.Pointer(&st)), 0); errno == 0 {
			sum += int(st.Blocks) * block
		}
		kept = append(kept, fd)
	}
	u.memfds = kept
	return sum
}

// unused reports whether nobody else has the memfd open or maps it: only then the
// kernel grants a lease for writing. A path to it, such as a descriptor made with
// O_PATH, is not seen by that; so the file is made empty, which one that is sealed
// refuses.
func unused(fd int) bool {
	const setLease, writeLease, unlock = 1024, 1, 2
	if _, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(fd), setLease, writeLease); errno != 0 {
		return false
	}
	syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(fd), setLease, unlock)
	again, errno := reopen(fd, syscall.O_RDWR)
	if errno != 0 {
		return false
	}
	_, _, errno = syscall.RawSyscall(syscall.SYS_FTRUNCATE, uintptr(again), 0, 0)
	syscall.RawSyscall(syscall.SYS_CLOSE, uintptr(again), 0, 0)
	return errno == 0
}
