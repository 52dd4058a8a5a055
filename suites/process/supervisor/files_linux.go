package supervisor

import (
	"strconv"
	"syscall"
	"unsafe"
)

// write makes a file in what the hooks see, with its directories.
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
	for content != "" {
		n, err := syscall.Write(fd, unsafe.Slice(unsafe.StringData(content), len(content)))
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return errnoOf(err)
		}
		content = content[n:]
	}
	return errnoOf(syscall.Fchmod(fd, perm)) // also where it was there, or the umask took bits away
}

// read gives a regular file's content, as the hooks see it.
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

// listen opens a port on the loopback of the namespace.
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
	s.send(fd, Reply, strconv.Itoa(0), "")
}
