package supervisor

import (
	"strconv"
	"syscall"
	"unsafe"
)

// receive reads one message and the descriptors that came with it.
func receive() (fields []string, files []int, ok bool) {
	var head [4]byte
	files, ok = receiveHead(head[:])
	if !ok {
		return nil, nil, false
	}
	n := Length(head)
	if n < 0 || n > MaxMessage {
		return nil, nil, false
	}
	body := make([]byte, n)
	if !readFull(body) {
		return nil, nil, false
	}
	fields, ok = Decode(body)
	return fields, files, ok
}

// receiveHead reads the length of a message. Descriptors arrive with its first byte.
func receiveHead(head []byte) (files []int, ok bool) {
	oob := make([]byte, syscall.CmsgSpace(4*maxFiles))
	for got := 0; got < len(head); {
		n, oobn, _, _, err := syscall.Recvmsg(ControlFD, head[got:], oob, syscall.MSG_CMSG_CLOEXEC)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return nil, false
		}
		got += n
		files = append(files, descriptors(oob[:oobn])...)
	}
	return files, true
}

const maxFiles = 253 // SCM_MAX_FD

func descriptors(oob []byte) []int {
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	var files []int
	for i := range messages {
		if fds, err := syscall.ParseUnixRights(&messages[i]); err == nil {
			files = append(files, fds...)
		}
	}
	return files
}

func readFull(b []byte) bool {
	for len(b) > 0 {
		n, err := syscall.Read(ControlFD, b)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return false
		}
		b = b[n:]
	}
	return true
}

// send writes one message, with a descriptor unless file is -1.
func send(file int, fields ...string) {
	b := Encode(fields...)
	var oob []byte
	if file >= 0 {
		oob = syscall.UnixRights(file)
	}
	for len(b) > 0 {
		n, err := syscall.SendmsgN(ControlFD, b, oob, nil, syscall.MSG_NOSIGNAL)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return
		}
		b, oob = b[n:], nil
	}
}

func (s *supervising) reply(errno syscall.Errno, content string) {
	send(-1, Reply, strconv.Itoa(int(errno)), content)
}

type pollfd struct {
	fd      int32
	events  int16
	revents int16
}

const in = 1 // POLLIN

// poll uses a raw call, so that the runtime does not start another thread while it waits.
func poll(fds []pollfd, timeout *syscall.Timespec) syscall.Errno {
	for {
		_, _, errno := syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), uintptr(len(fds)), uintptr(unsafe.Pointer(timeout)), 0, 0, 0)
		if errno != syscall.EINTR {
			return errno
		}
	}
}

// hasRequest reports whether a request is pending.
func hasRequest() bool {
	fds := [1]pollfd{{fd: ControlFD, events: in}}
	return poll(fds[:], &syscall.Timespec{}) != 0 || fds[0].revents != 0
}

// anyChild reports whether there are children, including ended ones.
func anyChild() bool { return hasChild(0, 0) }

// isChild reports whether a process is a child.
func isChild(pid int) bool { const byPID = 1; return hasChild(byPID, pid) }

func hasChild(kind, id int) bool {
	const exited, noWait = 4, 0x01000000
	var info [128]byte
	_, _, errno := syscall.RawSyscall6(syscall.SYS_WAITID, uintptr(kind), uintptr(id), uintptr(unsafe.Pointer(&info)), exited|noWait|syscall.WNOHANG, 0, 0)
	return errno != syscall.ECHILD
}

// write writes a file in the file system that hooks see, and creates its directories.
func write(path, mode, content string) syscall.Errno {
	if up := parent(path); up != "" {
		if errno := makeDirs(up, 0o755); errno != 0 {
			return errno
		}
	}
	perm := uint32(number(mode, 8))
	fd, err := syscall.Open(path, syscall.O_CREAT|syscall.O_WRONLY|syscall.O_TRUNC|syscall.O_CLOEXEC|syscall.O_NONBLOCK, perm)
	if err != nil {
		return errnoOf(err)
	}
	defer syscall.Close(fd)
	if errno := writeAll(fd, content); errno != 0 {
		return errno
	}
	return errnoOf(syscall.Fchmod(fd, perm)) // for existing files, and because of the umask
}

// writeAll writes the whole content. The kernel writes a part of it if a file system becomes full.
func writeAll(fd int, content string) syscall.Errno {
	for content != "" {
		n, err := syscall.Write(fd, unsafe.Slice(unsafe.StringData(content), len(content)))
		if err != nil && err != syscall.EINTR {
			return errnoOf(err)
		}
		content = content[max(n, 0):]
	}
	return 0
}

// read returns the content of a regular file in the file system that hooks see.
func read(path, limit string) (string, syscall.Errno) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", errnoOf(err)
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil || st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return "", syscall.EISDIR
	}
	b, err := readAll(fd, number(limit, 10))
	return text(b), errnoOf(err)
}

// listen listens on a port on the loopback interface of the namespace.
func (s *supervising) listen() {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err == nil {
		defer syscall.Close(fd)
		if err = syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err == nil {
			err = syscall.Listen(fd, syscall.SOMAXCONN)
		}
	}
	if err != nil {
		s.reply(errnoOf(err), "")
		return
	}
	send(fd, Reply, strconv.Itoa(0), "")
}

// System calls that package syscall does not have. Their numbers are the same on every
// architecture.
const (
	sysCloseRange   = 436
	sysMountSetattr = 442
)

// number returns 0 if s is not a number, without an error because the steps are
// hookwatch's own.
func number(s string, base int) int {
	n, err := strconv.ParseInt(s, base, 64)
	if err != nil {
		return 0
	}
	return int(n)
}

func errnoOf(err error) syscall.Errno {
	if err == nil {
		return 0
	}
	if errno, ok := err.(syscall.Errno); ok {
		return errno
	}
	return syscall.EINVAL
}

// unless treats one error as success.
func unless(expected syscall.Errno, err error) syscall.Errno {
	if errno := errnoOf(err); errno != expected {
		return errno
	}
	return 0
}

const atFDCWD = -100

// at is the descriptor that represents the working directory.
var at = atFDCWD

const (
	prSetDumpable       = 4
	prSetName           = 15
	prSetChildSubreaper = 36
)
