package supervisor

import (
	"strconv"
	"syscall"
	"unsafe"
)

// A procReader reads /proc again and again: it allocates nothing, since nothing is
// collected here, and its calls are raw, since one that takes long would have the
// runtime look for another thread, which hooks may have used up.
type procReader struct {
	path  []byte
	fd    int
	tasks []int
	buf   [32 << 10]byte
}

// name makes the path of the parts; a number of 0 is none.
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

// open opens the path that the parts make.
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

// read fills the buffer, from a number of bytes on.
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

// content is what the open file holds, as much of it as there is room for. It is
// good until the next call.
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

// numbers adds the names in the open directory that are numbers.
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

// children adds the children of a process, whichever of its threads they hang on.
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
