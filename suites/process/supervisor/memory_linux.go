package supervisor

import (
	"strconv"
	"syscall"
	"unsafe"
)

// memory is a limit on the memory of all commands together. It is measured every few
// milliseconds if the kernel does not count it.
type memory struct {
	most     int   // bytes; 0 means no limit
	used     int   // at the last measurement
	free     int   // free memory of the machine at that time
	top      int   // the most free memory since the firing began
	next     int64 // when to check again, in microseconds
	sure     int64 // when to measure even if the machine's memory shows no need
	pids     []int
	reader   procReader
	unmapped unmapped
}

// Microseconds between two measurements. It is extended, up to surelyEvery, so that a
// measurement takes at most a tenth of it. A measurement is expensive for the kernel when
// the processes end, so until the machine has lost enough memory for the limit to be in
// reach, only the machine's free memory is read.
const (
	lookEvery   = 15_000
	surelyEvery = 250_000
)

func microseconds() int64 {
	var t syscall.Timeval
	_ = syscall.Gettimeofday(&t)
	return t.Nano() / 1000
}

// freeMemory returns the unused memory of the machine in bytes.
func freeMemory() int {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 0
	}
	return int(info.Freeram) * int(info.Unit)
}

// begin starts a firing.
func (m *memory) begin() {
	if m.most > 0 {
		m.top = freeMemory()
		m.store(0, microseconds(), 0)
	}
}

// store stores a measurement and sets the time of the next one.
func (m *memory) store(used int, now, took int64) {
	m.used, m.free = used, freeMemory()
	m.next, m.sure = now+min(max(lookEvery, 10*took), surelyEvery), now+surelyEvery
}

func (m *memory) due() bool {
	if m.most == 0 {
		return false
	}
	now := microseconds()
	if now < m.next && m.next-now <= surelyEvery { // unless the clock was set back
		return false
	}
	m.next = now + lookEvery
	free := freeMemory()
	m.top = max(m.top, free)
	return now >= m.sure || m.used+max(0, m.free-free) > m.most/2 || free < m.most/2
}

// measure returns the memory of all commands together in bytes. It does the precise
// measurement only if their resident pages, including those of files, exceed the limit.
func (m *memory) measure(first bool) int {
	m.list(first)
	var objects, kernel int
	if first {
		var estimate int
		objects, kernel, estimate = m.unmapped.measure(&m.reader, m.pids)
		kernel += m.lower(estimate)
	}
	all := m.sum((*procReader).resident)
	if all.plus(objects)+kernel+all.possible <= m.most {
		return all.plus(objects) + kernel
	}
	return m.sum((*procReader).own).plus(objects) + kernel
}

// lower lowers an estimate, which is the most that the kernel may use for the
// commands, to the memory that the machine has lost. It does not if little memory is free,
// because then the machine frees caches first.
func (m *memory) lower(estimate int) int {
	if m.free < m.most/2 {
		return estimate
	}
	return min(estimate, max(0, m.top-freeMemory()))
}

// A use is the memory of processes, in bytes.
type use struct {
	private  int
	shared   int // with other processes and with files in memory
	possible int // of the kernel, for what is not counted because that takes long
}

// plus returns the total of the use and objects in memory. Processes may map these
// objects, in which case shared includes them.
func (u use) plus(objects int) int { return u.private + max(u.shared, objects) }

// sum adds up the memory of the processes. It stops if a request is pending, because a
// measurement takes long if many processes want to run, and when the limit is exceeded.
func (m *memory) sum(of func(*procReader, int) use) use {
	var sum use
	for _, pid := range m.pids {
		if hasRequest() {
			return use{}
		}
		u := of(&m.reader, pid)
		sum.private += u.private
		sum.shared += u.shared
		if sum.possible += u.possible; sum.private > m.most {
			break
		}
	}
	return sum
}

// list finds the processes of the commands: all others in the namespace, or the
// descendants of this process.
func (m *memory) list(first bool) {
	r := &m.reader
	if first {
		r.open("/proc", 0, "", 0, "")
		m.pids = r.numbers(m.pids[:0])
		for i, pid := range m.pids {
			if pid == 1 {
				m.pids[i] = m.pids[len(m.pids)-1]
				m.pids = m.pids[:len(m.pids)-1]
				break
			}
		}
		return
	}
	m.pids = r.children(syscall.Getpid(), m.pids[:0])
	for i := 0; i < len(m.pids); i++ {
		m.pids = r.children(m.pids[i], m.pids)
	}
}

// resident returns the resident memory of a process, including pages of files.
func (r *procReader) resident(pid int) use {
	r.open("/proc/", pid, "/status", 0, "")
	b := r.content()
	shared := kilobytes(b, "RssShmem:")
	return use{kilobytes(b, "VmRSS:") - shared + kilobytes(b, "VmPTE:"), shared, r.mostMappings(b) * perMapping}
}

// The kernel's memory for a mapping with its place in the tree of mappings, and for an item of epoll
// with its entry in the queue of a file.
const (
	perMapping = 320
	perItem    = 320
)

// mostMappings returns the most mappings that a process may have, from its status: each has a page.
func (r *procReader) mostMappings(status []byte) int {
	return min(kilobytes(status, "VmSize:")/syscall.Getpagesize(), r.mappings)
}

// own returns a process's share of the memory that does not belong to a file on a disk:
// memory shared since a fork counts once for all processes. Page tables count, because a
// process can have them without pages.
func (r *procReader) own(pid int) use {
	r.open("/proc/", pid, "/status", 0, "")
	b := r.content()
	tables, mappings := kilobytes(b, "VmPTE:"), r.mostMappings(b)
	all := use{private: kilobytes(b, "RssAnon:"), shared: kilobytes(b, "RssShmem:")}
	r.open("/proc/", pid, "/maps", 0, "")
	if n := r.lines(); n > 0 { // none if the kernel denies access
		mappings = n
	}
	r.open("/proc/", pid, "/smaps_rollup", 0, "")
	if b = r.content(); len(b) > 0 { // empty if the kernel denies access
		all = use{private: kilobytes(b, "Pss_Anon:"), shared: kilobytes(b, "Pss_Shmem:")}
	}
	all.private += tables + mappings*perMapping
	return all
}

// kilobytes finds a line such as "RssAnon: 123 kB" and returns its value in bytes.
func kilobytes(b []byte, name string) int {
	for i := 0; i+len(name) < len(b); i++ {
		if (i == 0 || b[i-1] == '\n') && string(b[i:i+len(name)]) == name {
			return leadingNumber(b[i+len(name):]) << 10
		}
	}
	return 0
}

// openDescriptors returns the number of descriptors of a process. It is 0 on kernels
// before 6.2, which do not report it.
func (r *procReader) openDescriptors(pid int) int {
	r.name("/proc/", pid, "/fd", 0, "")
	st, errno := r.stat()
	if errno != 0 {
		return 0
	}
	return int(st.Size)
}

// unmapped is memory of the namespaces that need not be mapped by a process: files in
// memory, System V IPC, sockets and pipes.
type unmapped struct {
	perSocket     int // maximum bytes in the buffers of one socket
	perDescriptor int // maximum bytes in a pipe for each of its descriptors
	storage       int // descriptor of the file system in memory; 0 if none
	memfds        []int
	probe         int // netlink socket that lists other sockets, opened before calls are filtered; 0 if none
	items         int // maximum number of items of epoll
	sent          int // bytes in unix sockets, which may carry descriptors
}

// watch sets the limit on memory: see Watch.
func (s *supervising) watch(f []string) syscall.Errno {
	m := &s.memory
	m.most = number(f[0], 10)
	u := &m.unmapped
	u.perSocket, u.perDescriptor, u.items = number(f[1], 10), number(f[2], 10), number(f[4], 10)
	m.reader.mappings = number(f[3], 10)
	if s.first {
		m.unmapped.probe = openProbe()
	}
	return 0
}

// keepStorage duplicates the descriptor of the file system in memory that the steps opened
// as the storage.
func (u *unmapped) keepStorage() {
	const duplicateAbove = 4
	if fd, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, StorageFD, syscall.F_DUPFD_CLOEXEC, duplicateAbove); errno == 0 {
		u.storage = int(fd)
	}
}

// measure returns the bytes of the objects that processes may map, of the messages and semaphores
// of System V, which the kernel allocates when they are created, and an upper estimate of its
// other memory for the processes.
func (u *unmapped) measure(r *procReader, pids []int) (objects, kernel, estimate int) {
	blocks, inodes := u.storageUse()
	objects, kernel = blocks+u.inMemfds()+sharedSegments(), inodes+messages()+semaphores()
	estimate = u.inSockets(r)
	// A message with descriptors takes at least this many bytes, and a user may have no more of them on
	// their way than a process may have open.
	const perMessage, open = 512, 8192
	onTheirWay, items := min(u.sent/perMessage*maxFiles, open), 0
	for _, pid := range pids {
		n := r.openDescriptors(pid)
		estimate += n * u.perDescriptor
		// An item is a pair of descriptors, of which one is for epoll. There are most items if half of
		// them are.
		items += n * (n/4 + onTheirWay)
	}
	return objects, kernel, estimate + min(items, u.items)*perItem
}

// storageUse returns the bytes of the files in the storage, and of their inodes and attributes.
func (u *unmapped) storageUse() (blocks, inodes int) {
	const tmpfs = 0x01021994
	var st syscall.Statfs_t
	if u.storage == 0 {
		return 0, 0
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_FSTATFS, uintptr(u.storage), uintptr(unsafe.Pointer(&st)), 0)
	if errno != 0 || int64(st.Type) != tmpfs {
		return 0, 0
	}
	const perInode = 1024 // attributes count as inodes of this size
	return int(st.Blocks-st.Bfree) * int(st.Bsize), int(st.Files-st.Ffree) * perInode
}

// The kernel's totals of the System V objects in this namespace, including those that no
// process is attached to.

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

// inSockets returns the bytes in the buffers of this namespace's sockets. Sockets that the
// kernel does not list, such as a closed one with data that is still to be read, count
// with their maximum.
func (u *unmapped) inSockets(r *procReader) int {
	sockets := countSockets(r)
	u.sent = 0
	if u.probe != 0 {
		sockets--
	}
	if sockets <= 0 {
		return 0
	}
	listed, held := u.listSockets(r)
	unlisted := max(0, sockets-listed) * u.perSocket
	u.sent += unlisted
	return held + unlisted
}

// countSockets returns the number of sockets in this network namespace, including closed
// ones with data in transit.
func countSockets(r *procReader) int {
	r.open("/proc/self/net/sockstat", 0, "", 0, "")
	const label = "sockets: used "
	b := r.content()
	if len(b) < len(label) || string(b[:len(label)]) != label {
		return 0
	}
	return leadingNumber(b[len(label):])
}

// A memfd is a file in memory without a name in any file system, so no limit of a file
// system applies to it. Therefore the supervisor creates each one for the commands and
// keeps a descriptor of its own: the file counts as long as another process can reach it
// in any way.

// memfdsAtMost is the maximum number of memfds of a case at a time.
const memfdsAtMost = 1024

// serveMemfd creates a memfd for a command whose call of memfd_create is pending.
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
	// Reopen it, because the kernel counts who has a file open for writing, but not for the
	// descriptor that memfd_create returns.
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

// memfdName is the kernel's maximum length of the name of a memfd, with its end.
const memfdName = 250

// readName reads the name that a command gives to a memfd. It is only for display, so
// "memfd" is used if the name cannot be read.
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

// reopen opens the file of one of our descriptors again.
func reopen(fd int, flags int) (int, syscall.Errno) {
	path := append(strconv.AppendInt([]byte("/proc/self/fd/"), int64(fd), 10), 0)
	again, _, errno := syscall.RawSyscall6(syscall.SYS_OPENAT, uintptr(at), uintptr(unsafe.Pointer(&path[0])), uintptr(flags|syscall.O_CLOEXEC), 0, 0, 0)
	return int(again), errno
}

// inMemfds returns the bytes of all memfds, and closes those that no other process uses.
func (u *unmapped) inMemfds() int {
	const block = 512
	sum, kept := 0, u.memfds[:0]
	for _, fd := range u.memfds {
		if isUnused(fd) {
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

// isUnused reports whether no other process has the memfd open or mapped: only then does the
// kernel grant a lease for writing. A lease ignores references such as descriptors made
// with O_PATH, so the file is truncated as well, which fails if it is sealed: then it still
// counts as used.
func isUnused(fd int) bool {
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

// openProbe opens a socket that lists the sockets of this network namespace. It returns 0
// if the kernel has none.
func openProbe() int {
	const sockDiag = 4
	fd, _, errno := syscall.RawSyscall(syscall.SYS_SOCKET, syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, sockDiag)
	if errno != 0 {
		return 0
	}
	return int(fd)
}

// A family is a kind of socket that the kernel lists.
type family struct {
	request   []byte
	answer    int    // bytes before the attributes of a socket
	attribute uint16 // the attribute with the sizes of its buffers
}

var families = [...]family{
	unixSockets(),
	internetSockets(syscall.AF_INET, syscall.IPPROTO_TCP), internetSockets(syscall.AF_INET6, syscall.IPPROTO_TCP),
	internetSockets(syscall.AF_INET, syscall.IPPROTO_UDP), internetSockets(syscall.AF_INET6, syscall.IPPROTO_UDP),
}

// The requests are a netlink header and the kernel's struct unix_diag_req or
// inet_diag_req_v2, for sockets in any state.

func unixSockets() family {
	const size, showMemory = 24, 0x20
	b := listRequest(size, syscall.AF_UNIX, 0)
	b[netlinkHeader+12] = showMemory
	return family{b, 16, 5}
}

func internetSockets(domain, protocol byte) family {
	const size, memory = 56, 1 << 6
	b := listRequest(size, domain, protocol)
	b[netlinkHeader+2] = memory
	return family{b, 72, 7}
}

const netlinkHeader = 16

func listRequest(size int, domain, protocol byte) []byte {
	const byFamily, request, dump = 20, 0x1, 0x300
	b := make([]byte, netlinkHeader+size)
	*(*syscall.NlMsghdr)(unsafe.Pointer(&b[0])) = syscall.NlMsghdr{Len: uint32(len(b)), Type: byFamily, Flags: request | dump}
	b[netlinkHeader], b[netlinkHeader+1] = domain, protocol
	*(*uint32)(unsafe.Pointer(&b[netlinkHeader+4])) = ^uint32(0)
	return b
}

// listSockets returns the number of sockets that the kernel lists and the bytes in their
// buffers.
func (u *unmapped) listSockets(r *procReader) (listed, held int) {
	if u.probe == 0 {
		return 0, 0
	}
	for i := range families {
		f := &families[i]
		_, _, errno := syscall.RawSyscall6(syscall.SYS_SENDTO, uintptr(u.probe), uintptr(unsafe.Pointer(&f.request[0])), uintptr(len(f.request)), 0, 0, 0)
		if errno != 0 {
			continue
		}
		for more := true; more; {
			n, _, errno := syscall.RawSyscall6(syscall.SYS_RECVFROM, uintptr(u.probe), uintptr(unsafe.Pointer(&r.buf[0])), uintptr(len(r.buf)), syscall.MSG_DONTWAIT, 0, 0)
			if errno != 0 {
				break
			}
			var count, bytes int
			count, bytes, more = f.read(r.buf[:n])
			listed, held = listed+count, held+bytes
		}
		if i == 0 { // unix sockets
			u.sent = held
		}
	}
	return listed, held
}

// read parses messages about sockets. more is false after the last message of a list.
func (f *family) read(b []byte) (sockets, held int, more bool) {
	for len(b) >= netlinkHeader {
		h := *(*syscall.NlMsghdr)(unsafe.Pointer(&b[0]))
		size := int(h.Len)
		if size < netlinkHeader || size > len(b) || h.Type == syscall.NLMSG_DONE || h.Type == syscall.NLMSG_ERROR {
			return sockets, held, false
		}
		if size >= netlinkHeader+f.answer {
			sockets++
			held += f.bufferedBytes(b[netlinkHeader+f.answer : size])
		}
		b = b[min((size+3)&^3, len(b)):]
	}
	return sockets, held, true
}

// bufferedBytes returns the bytes in a socket's buffers, from its attributes.
func (f *family) bufferedBytes(b []byte) int {
	const header, received, sending, queued, fields = 4, 0, 2, 5, 9
	for len(b) >= header {
		size, kind := int(b[0])|int(b[1])<<8, uint16(b[2])|uint16(b[3])<<8
		if size < header || size > len(b) {
			return 0
		}
		if kind == f.attribute && size >= header+4*fields {
			sizes := (*[fields]uint32)(unsafe.Pointer(&b[header]))
			return int(sizes[received]) + int(max(sizes[sending], sizes[queued]))
		}
		b = b[min((size+3)&^3, len(b)):]
	}
	return 0
}
