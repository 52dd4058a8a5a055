package sandbox

import "strings"

// A MemoryKind is a kind of memory that a case can take, and what keeps it within bounds.
type MemoryKind struct {
	Name  string
	Means MemoryMeans
	By    string // what counts, limits or refuses it
}

// MemoryMeans is a way to keep memory within bounds.
type MemoryMeans int

// The means. Counted memory ends a case that exceeds sandbox.memory.
const (
	CountedMemory MemoryMeans = iota
	LimitedMemory             // by a bound of its own, far below the memory of a machine
	RefusedMemory             // the calls for it fail
	UnboundMemory             // only a cgroup counts it
)

// MemoryKinds are the kinds of memory of a case in namespaces without a cgroup, which counts them all.
// TestMemoryKinds takes memory of each kind.
var MemoryKinds = []MemoryKind{
	{"pages of a process", CountedMemory, "its Pss"},
	{"shared pages", CountedMemory, "Pss of those that map them"},
	{"tables of pages", CountedMemory, "VmPTE"},
	{"mappings", CountedMemory, "lines of maps, if VmSize allows for many"},
	{"files in memory", CountedMemory, "blocks of the storage"},
	{"inodes and attributes", CountedMemory, "inode space of the storage"},
	{"memfds", CountedMemory, "the supervisor has each one open"},
	{"memfds on their way", CountedMemory, "the supervisor has each one open"},
	{"segments", CountedMemory, "SHM_INFO"},
	{"messages", CountedMemory, "MSG_INFO"},
	{"semaphores", CountedMemory, "SEM_INFO"},
	{"sockets", CountedMemory, "sock_diag"},
	{"sockets whose senders are closed", CountedMemory, "sockstat, with the largest buffers"},
	{"connections", CountedMemory, "sock_diag"},
	{"pipes", CountedMemory, "number of descriptors, as far as the machine lost memory"},
	{"epoll items", CountedMemory, "number of descriptors, as far as the machine lost memory"},
	{"epoll items on their way", CountedMemory, "bytes in sockets, as far as the machine lost memory"},

	{"POSIX message queues", LimitedMemory, "RLIMIT_MSGQUEUE"},
	{"signals and timers", LimitedMemory, "RLIMIT_SIGPENDING"},
	{"seccomp filters", LimitedMemory, "32,768 instructions a thread, and sandbox.processes"},
	{"inotify watches", LimitedMemory, "user.max_inotify_watches and instances"},
	{"terminals", LimitedMemory, "max of devpts"},
	{"asynchronous reads", LimitedMemory, "fs.aio-max-nr"},

	{"memfd_secret", RefusedMemory, "seccomp"},
	{"io_uring", RefusedMemory, "seccomp"},
	{"bpf maps", RefusedMemory, "seccomp"},
	{"buffers of perf", RefusedMemory, "seccomp"},
	{"keys", RefusedMemory, "seccomp"},
	{"pages moved into pipes", RefusedMemory, "seccomp"},
	{"rules of landlock", RefusedMemory, "seccomp"},
	{"marks of fanotify", RefusedMemory, "seccomp"},

	// Both grow slowly, because the kernel searches a list, or the pages have to be written first.
	{"locks of files", UnboundMemory, ""},
	{"shared mappings that a process gives up in part", UnboundMemory, ""},
}

// kindsOf lists the kinds with some means.
func kindsOf(means MemoryMeans) string {
	var names []string
	for _, k := range MemoryKinds {
		if k.Means == means {
			names = append(names, k.Name)
		}
	}
	return strings.Join(names, ", ")
}
