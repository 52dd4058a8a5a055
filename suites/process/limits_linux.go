package process

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"hookwatch/suites/process/supervisor"
)

// steps returns the steps that limit the supervisor itself and so everything that it
// starts. If watched, the supervisor measures the memory.
func (l Limits) steps(watched bool) []Step {
	limit := func(resource int, value int64) Step {
		return Step{supervisor.Limit, strconv.Itoa(resource), strconv.FormatInt(value, 10)}
	}
	steps := []Step{
		limit(unix.RLIMIT_CORE, 0),
		limit(unix.RLIMIT_NOFILE, OpenFiles),
		limit(unix.RLIMIT_MSGQUEUE, messageQueues),
		limit(unix.RLIMIT_SIGPENDING, pendingSignals),
		// If the machine runs out of memory before a limit is reached, the kernel should kill
		// these processes rather than hookwatch.
		{supervisor.Optional + supervisor.Put, "/proc/self/oom_score_adj", "1000"},
	}
	if l.FileSize > 0 {
		steps = append(steps, limit(unix.RLIMIT_FSIZE, l.FileSize))
	}
	if l.Memory > 0 && watched {
		// No RLIMIT_DATA, because Bun, Java and programs built with a sanitizer reserve far
		// more than they touch.
		b := kernelBuffers()
		watch := Step{supervisor.Watch, strconv.FormatInt(l.Memory, 10)}
		for _, n := range []int{b.socket, b.descriptor, b.mappings, b.watches} {
			watch = append(watch, strconv.Itoa(n))
		}
		steps = append(steps, watch)
	}
	return steps
}

// ofMachine limits memory to three quarters of the machine's memory.
func ofMachine(memory int64) int64 {
	if total := machineMemory(); total > 0 {
		return min(memory, total/4*3)
	}
	return memory
}

// machineMemory returns the machine's memory in bytes, or 0 if it is unknown.
var machineMemory = sync.OnceValue(func() int64 {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		var kB int64
		if n, _ := fmt.Sscanf(lines.Text(), "MemTotal: %d kB", &kB); n == 1 {
			return kB << 10
		}
	}
	return 0
})

// messageQueues is the number of bytes that the POSIX message queues of a user may
// contain: Linux's default.
const messageQueues = 819_200

// pendingSignals is the number of signals and timers that the kernel may keep for a user.
const pendingSignals = 8192

// buffers are the maximum amounts of memory that the kernel keeps for an unprivileged
// process.
type buffers struct {
	socket     int // bytes per socket
	descriptor int // bytes per descriptor of a pipe
	mappings   int // per process
	watches    int // items of epoll, per user
}

// kernelBuffers returns the machine's settings.
var kernelBuffers = sync.OnceValue(func() buffers {
	setting := func(name string, otherwise int) int {
		b, err := os.ReadFile("/proc/sys/" + name)
		if err != nil {
			return otherwise
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(b)))
		if err != nil {
			return otherwise
		}
		return n
	}
	const ordinary = 212_992
	// The kernel doubles the size that a program requests.
	b := buffers{
		socket:   2 * max(setting("net/core/wmem_max", ordinary), setting("net/core/rmem_max", ordinary)),
		mappings: setting("vm/max_map_count", 65_530),
		watches:  setting("fs/epoll/max_user_watches", 1<<30),
	}
	// Once a user has this many pages in pipes, a new pipe has two pages.
	b.descriptor = 2 * os.Getpagesize()
	if setting("fs/pipe-user-pages-soft", 0) == 0 {
		b.descriptor = setting("fs/pipe-max-size", 1<<20)
	}
	return b
})

// isolate puts the supervisor into new namespaces for users, mounts, processes, IPC and network.
func isolate(a *syscall.SysProcAttr) {
	a.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWNET
	if os.Geteuid() == 0 {
		a.UidMappings = ownIDs("/proc/self/uid_map")
		a.GidMappings = ownIDs("/proc/self/gid_map")
		a.GidMappingsEnableSetgroups = true
		return
	}
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	// Process 1 of the namespaces needs these to carry out its steps. It drops all of them
	// before a hook starts.
	a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_SYS_RESOURCE}
}

// ownIDs maps every user or group of the current namespace to itself.
func ownIDs(file string) []syscall.SysProcIDMap {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var ids []syscall.SysProcIDMap
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		var inside, outside, size int
		if n, err := fmt.Sscan(lines.Text(), &inside, &outside, &size); err == nil && n == 3 {
			ids = append(ids, syscall.SysProcIDMap{ContainerID: inside, HostID: inside, Size: size})
		}
	}
	return ids
}
