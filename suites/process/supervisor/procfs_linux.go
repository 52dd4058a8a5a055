package supervisor

import (
	"strconv"
	"syscall"
	"unsafe"
)

// openProc opens /proc, or returns -1.
func openProc() int {
	fd, err := syscall.Open("/proc", syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fd
}

// children lists the PIDs of the supervisor's children. It opens no file, because a hook that is not
// confined may have set the limit of open files to 0.
func (s *supervising) children() []int {
	_, _ = syscall.Seek(s.proc, 0, 0)
	var pids []int
	for _, n := range listOpen(s.proc) {
		if pid, err := strconv.Atoi(n); err == nil && isChild(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func childrenOf(pid int) []int {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task/"
	var pids []int
	for _, tid := range list(tasks) {
		b, err := readFile(tasks + tid + "/children")
		if err != nil {
			continue
		}
		for _, f := range split(b, ' ') {
			if pid, err := strconv.Atoi(f); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// list returns the names in a directory.
func list(dir string) []string {
	fd, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	return listOpen(fd)
}

func listOpen(fd int) (names []string) {
	buf := make([]byte, 4096)
	for {
		n, err := syscall.ReadDirent(fd, buf)
		if err != nil || n <= 0 {
			return names
		}
		_, _, names = syscall.ParseDirent(buf[:n], -1, names)
	}
}

// name returns the kernel's name for the process, such as "sleep".
func name(pid int) string {
	b, err := readFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil || len(b) == 0 {
		return "pid " + strconv.Itoa(pid)
	}
	return string(b[:len(b)-1])
}

// Holding is the prefix of the name of a process left behind with a stream of a hook open.
const Holding = "|"

// mark returns Holding if the standard output or error of a process is a stream of a command.
func (s *supervising) mark(pid int) string {
	for _, fd := range []string{"/fd/1", "/fd/2"} {
		var about syscall.Stat_t
		if syscall.Stat("/proc/"+strconv.Itoa(pid)+fd, &about) != nil {
			continue
		}
		for _, pipe := range s.pipes {
			if pipe == about.Ino {
				return Holding
			}
		}
	}
	return ""
}

func readFile(path string) ([]byte, error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	return readAll(fd, 0)
}

// readAll reads to the end, or until it has limit bytes if limit is not 0.
func readAll(fd, limit int) ([]byte, error) {
	var all []byte
	buf := make([]byte, 4096)
	for {
		n, err := syscall.Read(fd, buf)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, buf[:n]...)
		if n == 0 || limit > 0 && len(all) >= limit {
			return all, nil
		}
	}
}

// split splits b at every sep; it drops an empty last field.
func split(b []byte, sep byte) []string {
	var fields []string
	start := 0
	for i, c := range b {
		if c == sep {
			fields = append(fields, string(b[start:i]))
			start = i + 1
		}
	}
	if start < len(b) {
		fields = append(fields, string(b[start:]))
	}
	return fields
}

// keepFromHook sets close-on-exec for descriptors from fd on, including those inherited by
// hookwatch, because a hook must only get its own three.
func keepFromHook(fd uintptr) {
	const closeRangeCloexec = 4
	_, _, errno := syscall.RawSyscall(sysCloseRange, fd, uintptr(^uint32(0)), closeRangeCloexec)
	if errno != 0 { // a kernel before 5.11
		for f := int(fd); f < 256; f++ {
			syscall.CloseOnExec(f)
		}
	}
}

func sleep(ms int64) {
	ts := syscall.NsecToTimespec(ms * 1e6)
	syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}

func setName(s string) {
	b, err := syscall.BytePtrFromString(s)
	if err == nil {
		syscall.RawSyscall(syscall.SYS_PRCTL, prSetName, uintptr(unsafe.Pointer(b)), 0)
	}
}

// leadingNumber returns the number at the beginning of b, after blanks.
func leadingNumber(b []byte) int {
	n := 0
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// A procReader reads /proc repeatedly. It does not allocate, because garbage collection is
// off, and uses raw calls, because during a slow ordinary call the runtime would start
// another thread, which fails if hooks have used up all processes.
type procReader struct {
	path     []byte
	fd       int
	tasks    []int
	mappings int // maximum number in a process
	buf      [32 << 10]byte
}

// name sets path to the concatenation of the parts; a number of 0 is left out.
func (r *procReader) name(a string, n int, b string, m int, c string) {
	r.path = append(r.path[:0], a...)
	if n != 0 {
		r.path = strconv.AppendInt(r.path, int64(n), 10)
	}
	r.path = append(r.path, b...)
	if m != 0 {
		r.path = strconv.AppendInt(r.path, int64(m), 10)
	}
	r.path = append(append(r.path, c...), 0)
}

// stat returns the metadata of the path.
func (r *procReader) stat() (st syscall.Stat_t, errno syscall.Errno) {
	_, _, errno = syscall.RawSyscall6(sysNewfstatat, uintptr(at), uintptr(unsafe.Pointer(&r.path[0])), uintptr(unsafe.Pointer(&st)), 0, 0, 0)
	return st, errno
}

// open opens the path made of the parts.
func (r *procReader) open(a string, n int, b string, m int, c string) {
	r.name(a, n, b, m, c)
	const flags = syscall.O_RDONLY | syscall.O_CLOEXEC | syscall.O_NONBLOCK
	fd, _, errno := syscall.RawSyscall6(syscall.SYS_OPENAT, uintptr(at), uintptr(unsafe.Pointer(&r.path[0])), flags, 0, 0, 0)
	r.fd = int(fd)
	if errno != 0 {
		r.fd = -1
	}
}

func (r *procReader) close() {
	if r.fd >= 0 {
		syscall.RawSyscall(syscall.SYS_CLOSE, uintptr(r.fd), 0, 0)
	}
}

// read reads into the buffer, from the given offset on.
func (r *procReader) read(call uintptr, from int) int {
	if r.fd < 0 || from == len(r.buf) {
		return 0
	}
	n, _, errno := syscall.RawSyscall(call, uintptr(r.fd), uintptr(unsafe.Pointer(&r.buf[from])), uintptr(len(r.buf)-from))
	if errno != 0 {
		return 0
	}
	return int(n)
}

// content returns the content of the open file, up to the size of the buffer. It is valid
// until the next call.
func (r *procReader) content() []byte {
	defer r.close()
	size := 0
	for {
		n := r.read(syscall.SYS_READ, size)
		if n == 0 {
			return r.buf[:size]
		}
		size += n
	}
}

// lines returns the number of lines of the open file.
func (r *procReader) lines() (count int) {
	defer r.close()
	for {
		n := r.read(syscall.SYS_READ, 0)
		if n == 0 {
			return count
		}
		for _, c := range r.buf[:n] {
			if c == '\n' {
				count++
			}
		}
	}
}

// numbers appends the names in the open directory that are numbers.
func (r *procReader) numbers(found []int) []int {
	defer r.close()
	const lengthAt, nameAt = 16, 19
	for {
		n := r.read(syscall.SYS_GETDENTS64, 0)
		if n == 0 {
			return found
		}
		for b := r.buf[:n]; len(b) > nameAt; {
			length := int(b[lengthAt]) | int(b[lengthAt+1])<<8
			if length <= nameAt || length > len(b) {
				return found
			}
			if pid := leadingNumber(b[nameAt:length]); pid > 0 {
				found = append(found, pid)
			}
			b = b[length:]
		}
	}
}

// children appends the children of a process, including those of all of its threads.
func (r *procReader) children(pid int, found []int) []int {
	r.open("/proc/", pid, "/task", 0, "")
	r.tasks = r.numbers(r.tasks[:0])
	for _, task := range r.tasks {
		r.open("/proc/", pid, "/task/", task, "/children")
		for b := r.content(); len(b) > 0; {
			if child := leadingNumber(b); child > 0 {
				found = append(found, child)
			}
			for len(b) > 0 && b[0] != ' ' {
				b = b[1:]
			}
			if len(b) > 0 {
				b = b[1:]
			}
		}
	}
	return found
}
