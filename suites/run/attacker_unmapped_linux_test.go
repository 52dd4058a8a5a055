package run_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The amount of each kind of memory to allocate: more than a case may have, in pieces that no other
// limit refuses.
const (
	taken = 256 << 20
	piece = 4 << 20
)

// kindsOfMemory take memory of each of memoryKinds: counted memory, most of which no process
// maps, until the case is ended; limited memory up to its limit; refused memory with calls that fail.
var kindsOfMemory = map[string]func() error{
	"pages of a process": func() error { take(taken); return nil },
	"shared pages": func() error {
		b, err := unix.Mmap(-1, 0, taken, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
		touch(b)
		return err
	},
	"mappings": func() error {
		return inChildren(6, func() error {
			const most = 32_500 // pairs in a process
			page := os.Getpagesize()
			b, err := unix.Mmap(-1, 0, 2*most*page, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
			if err != nil {
				return err
			}
			return repeat(most, func(i int) error { return unix.Mprotect(b[2*i*page:(2*i+1)*page], unix.PROT_NONE) })
		})
	},
	"inodes and attributes": func() error {
		if err := os.WriteFile("/dev/shm/f", nil, 0o600); err != nil {
			return err
		}
		value := make([]byte, 60_000)
		return repeat(taken/len(value), func(i int) error { return unix.Setxattr("/dev/shm/f", fmt.Sprint("user.", i), value, 0) })
	},
	"epoll items":              func() error { return addItems(500, 2000, func(int) error { return nil }) },
	"epoll items on their way": sendEpolls,
	"POSIX message queues": func() error {
		return upTo(10, func(i int) error {
			name := []byte(fmt.Sprint("q", i, "\x00"))
			attr := [8]int64{1: 10, 2: 8192}
			return failure(unix.SYS_MQ_OPEN, pointer(&name[0]), unix.O_CREAT|unix.O_RDWR, 0o600, pointer(&attr))
		})
	},
	"signals and timers": func() error {
		return upTo(8192, func(int) error {
			var id int32
			return failure(unix.SYS_TIMER_CREATE, unix.CLOCK_MONOTONIC, 0, pointer(&id))
		})
	},
	"seccomp filters": func() error {
		runtime.LockOSThread()
		_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		program := make([]unix.SockFilter, 4096)
		for i := range program {
			program[i] = unix.SockFilter{Code: unix.BPF_RET, K: unix.SECCOMP_RET_ALLOW}
		}
		prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
		return upTo(8, func(int) error { return failure(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, pointer(&prog)) })
	},
	"inotify watches": func() error {
		most, err := os.ReadFile("/proc/sys/user/max_inotify_watches")
		if strings.TrimSpace(string(most)) != "8192" {
			escaped(fmt.Sprintf("from a limit: %s watches, %v", most, err))
		}
		return upTo(16, func(int) error { _, err := unix.InotifyInit(); return err })
	},
	"terminals": func() error {
		return upTo(16, func(int) error { _, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0); return err })
	},
	"asynchronous reads": func() error {
		return upTo(1<<17, func(int) error { var id uintptr; return failure(unix.SYS_IO_SETUP, 1000, pointer(&id)) })
	},
	"memfd_secret":           func() error { return refused(unix.SYS_MEMFD_SECRET) },
	"io_uring":               func() error { return refused(unix.SYS_IO_URING_SETUP) },
	"bpf maps":               func() error { return refused(unix.SYS_BPF) },
	"buffers of perf":        func() error { return refused(unix.SYS_PERF_EVENT_OPEN) },
	"keys":                   func() error { return refused(unix.SYS_ADD_KEY) },
	"pages moved into pipes": func() error { return refused(unix.SYS_VMSPLICE) },
	"rules of landlock":      func() error { return refused(unix.SYS_LANDLOCK_CREATE_RULESET) },
	"marks of fanotify":      func() error { return refused(unix.SYS_FANOTIFY_INIT) },
	"memfds": func() error {
		return repeat(taken/piece, func(int) error { _, err := memfd(0, piece); return err })
	},
	"memfds on their way": func() error {
		return repeat(taken/piece, func(int) error {
			fd, err := memfd(0, piece)
			if err != nil {
				return err
			}
			pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
			if err != nil {
				return err
			}
			if err := unix.Sendmsg(pair[0], []byte{0}, unix.UnixRights(fd), nil, 0); err != nil {
				return err
			}
			return unix.Close(fd)
		})
	},
	"segments": func() error {
		return repeat(taken/piece, func(int) error {
			id, err := unix.SysvShmGet(unix.IPC_PRIVATE, piece, unix.IPC_CREAT|0o600)
			if err != nil {
				return err
			}
			b, err := unix.SysvShmAttach(id, 0, 0)
			if err != nil {
				return err
			}
			touch(b)
			return unix.SysvShmDetach(b)
		})
	},
	"files in memory": func() error {
		return repeat(taken/piece, func(i int) error {
			return os.WriteFile(filepath.Join("/dev/shm", fmt.Sprint(i)), make([]byte, piece), 0o600)
		})
	},
	"sockets": func() error {
		return repeat(1000, func(int) error { _, err := filledPair(); return err })
	},
	"sockets whose senders are closed": func() error {
		return repeat(1000, func(int) error {
			sender, err := filledPair()
			if err != nil {
				return err
			}
			return unix.Close(sender)
		})
	},
	"connections": func() error {
		return repeat(200, func(int) error {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return err
			}
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				return err
			}
			held = append(held, l, c)
			_ = c.(*net.TCPConn).SetWriteBuffer(piece)
			_ = c.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
			_, _ = c.Write(make([]byte, 2*piece))
			return nil
		})
	},
	"pipes": func() error {
		return inChildren(9, func() error {
			return repeat(4000, func(int) error {
				var p [2]int
				if err := unix.Pipe2(p[:], unix.O_NONBLOCK); err != nil {
					return err
				}
				_, _ = unix.FcntlInt(uintptr(p[1]), unix.F_SETPIPE_SZ, 1<<20)
				_, _ = unix.Write(p[1], make([]byte, 1<<20))
				return nil
			})
		})
	},
	"messages": func() error {
		return repeat(30000, func(int) error {
			queue, _, errno := syscall.Syscall(unix.SYS_MSGGET, unix.IPC_PRIVATE, unix.IPC_CREAT|0o600, 0)
			if errno != 0 {
				return errno
			}
			message := struct {
				kind int64
				text [8000]byte
			}{kind: 1}
			for range 2 {
				_, _, errno = syscall.Syscall6(unix.SYS_MSGSND, queue, uintptr(unsafe.Pointer(&message)), unsafe.Sizeof(message.text), unix.IPC_NOWAIT, 0, 0)
				if errno != 0 {
					return errno
				}
			}
			return nil
		})
	},
	"semaphores": func() error {
		return repeat(taken/(64*32000), func(int) error {
			_, _, errno := syscall.Syscall(unix.SYS_SEMGET, unix.IPC_PRIVATE, 32000, unix.IPC_CREAT|0o600)
			if errno != 0 {
				return errno
			}
			return nil
		})
	},
	"tables of pages": func() error {
		const each = 2 << 20 // size of one table
		b, err := unix.Mmap(-1, 0, taken/4096*each, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
		if err != nil {
			return err
		}
		_ = unix.Madvise(b, unix.MADV_NOHUGEPAGE)
		sum := 0
		for i := 0; i < len(b); i += each {
			sum += int(b[i])
		}
		return os.WriteFile(os.DevNull, []byte(fmt.Sprint(sum)), 0)
	},
}

func failure(call uintptr, a ...uintptr) error {
	var all [6]uintptr
	copy(all[:], a)
	if _, _, errno := syscall.Syscall6(call, all[0], all[1], all[2], all[3], all[4], all[5]); errno != 0 {
		return errno
	}
	return nil
}

// refused reports a call that the filter lets pass.
func refused(call uintptr) error {
	if err := failure(call, ^uintptr(0), ^uintptr(0)); err != unix.ENOSYS {
		escaped(fmt.Sprintf("by call %d: %v", call, err))
	}
	return nil
}

// upTo takes something as often as possible, and reports more than a number of it.
func upTo(most int, take func(int) error) error {
	for i := range most + 1 {
		if err := take(i); err != nil {
			return nil
		}
	}
	escaped(fmt.Sprintf("from a limit: took more than %d", most))
	return nil
}

// addItems creates instances of epoll, each of which watches the same files.
func addItems(instances, files int, each func(epoll int) error) error {
	var watched []int
	for range files {
		fd, err := unix.Eventfd(0, 0)
		if err != nil {
			return err
		}
		watched = append(watched, fd)
	}
	return repeat(instances, func(int) error {
		epoll, err := unix.EpollCreate1(0)
		if err != nil {
			return err
		}
		for _, fd := range watched {
			if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{}); err != nil {
				return err
			}
		}
		return each(epoll)
	})
}

// sendEpolls creates instances of epoll that no process has open, because they are on their way.
func sendEpolls() error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	var open []int
	return addItems(8000, 90, func(epoll int) error {
		if open = append(open, epoll); len(open) < 250 {
			return nil
		}
		err := unix.Sendmsg(pair[0], []byte{0}, unix.UnixRights(open...), nil, 0)
		for _, fd := range open {
			_ = unix.Close(fd)
		}
		open = open[:0]
		return err
	})
}

// held keeps sockets alive, because they are closed when they are collected.
var held []any

func repeat(n int, do func(int) error) error {
	for i := range n {
		if err := do(i); err != nil {
			return err
		}
	}
	return nil
}

// memfd creates a memfd with content.
func memfd(flags, size int) (int, error) {
	fd, err := unix.MemfdCreate("a name", flags)
	if err != nil {
		return -1, err
	}
	_, err = unix.Write(fd, make([]byte, size))
	return fd, err
}

// filledPair creates two connected sockets and sends through one as much as it accepts.
func filledPair() (sender int, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, err
	}
	_ = unix.SetsockoptInt(pair[0], unix.SOL_SOCKET, unix.SO_SNDBUF, 1<<20)
	for b := make([]byte, 64<<10); err == nil; {
		_, err = unix.Write(pair[0], b)
	}
	return pair[0], nil
}

// inChildren also does it in child processes, until the end.
func inChildren(n int, do func() error) error {
	if os.Getenv("CHILD") == "" {
		for range n {
			cmd := exec.Command("/proc/self/exe")
			cmd.Env = append(os.Environ(), "CHILD=1", "GOMAXPROCS=1")
			if err := cmd.Start(); err != nil {
				return err
			}
		}
	}
	return do()
}

// attackUnmapped takes memory of one kind.
func attackUnmapped() {
	err := kindsOfMemory[os.Getenv("HOW")]()
	if err != nil {
		fmt.Println(err)
	}
	if os.Getenv("COUNTED") == "" {
		return
	}
	<-time.After(20 * time.Second) // it is ended in the meantime
	escaped("from the bound on memory, with " + os.Getenv("HOW"))
}

// useMemfds uses memfds as programs may, and hides one behind its path.
func useMemfds() {
	hidden := -1
	for i := range 3000 { // more than allowed at a time, and than memory has room for
		fd, err := memfd(unix.MFD_CLOEXEC, piece/32)
		if err != nil {
			escaped(fmt.Sprintf("nowhere, but got only %d memfds: %v", i, err))
			return
		}
		if i == 0 {
			hidden, _ = unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), unix.O_PATH, 0)
		}
		_ = unix.Close(fd)
	}
	if fi, err := os.Stat(fmt.Sprintf("/proc/self/fd/%d", hidden)); err != nil || fi.Size() > 0 {
		escaped(fmt.Sprintf("with a memfd that is not counted: %v", err))
	}
	fd, err := memfd(unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING, piece)
	if err != nil {
		escaped("nowhere, but got no memfd to be sealed: " + err.Error())
		return
	}
	if link, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); link != "/memfd:a name (deleted)" {
		escaped(fmt.Sprintf("nowhere, but the memfd is %q, %v", link, err))
	}
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); flags != unix.FD_CLOEXEC {
		escaped(fmt.Sprintf("nowhere, but the flags are %d, %v", flags, err))
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_SHRINK); err != nil {
		escaped("nowhere, but cannot seal: " + err.Error())
	}
	b, err := unix.Mmap(fd, 0, piece, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil || len(b) != piece {
		escaped(fmt.Sprintf("nowhere, but cannot map a memfd: %v", err))
	}
	if _, err := unix.MemfdCreate("x", 0x40000000); err != unix.EINVAL {
		escaped(fmt.Sprintf("nowhere, but wrong flags give %v", err))
	}
}
