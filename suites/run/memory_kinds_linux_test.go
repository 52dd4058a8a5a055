package run_test

// A memoryKind is a kind of memory that a case can take, and what keeps it within bounds.
type memoryKind struct {
	name  string
	means memoryMeans
	by    string // what counts, limits or refuses it
}

// memoryMeans is a way to keep memory within bounds.
type memoryMeans int

// The means. Counted memory ends a case that exceeds sandbox.memory.
const (
	countedMemory memoryMeans = iota
	limitedMemory             // by a bound of its own, far below the memory of a machine
	refusedMemory             // the calls for it fail
)

// memoryKinds are the kinds of memory of a case in namespaces without a cgroup, which counts them all.
// Locks of files, and shared mappings that a process gives up in part, are not bounded without one: both
// grow slowly, because the kernel searches a list, or the pages have to be written first.
var memoryKinds = []memoryKind{
	{"pages of a process", countedMemory, "its Pss"},
	{"shared pages", countedMemory, "Pss of those that map them"},
	{"tables of pages", countedMemory, "VmPTE"},
	{"mappings", countedMemory, "lines of maps, if VmSize allows for many"},
	{"files in memory", countedMemory, "blocks of the storage"},
	{"inodes and attributes", countedMemory, "inode space of the storage"},
	{"memfds", countedMemory, "the supervisor has each one open"},
	{"memfds on their way", countedMemory, "the supervisor has each one open"},
	{"segments", countedMemory, "SHM_INFO"},
	{"messages", countedMemory, "MSG_INFO"},
	{"semaphores", countedMemory, "SEM_INFO"},
	{"sockets", countedMemory, "sock_diag"},
	{"sockets whose senders are closed", countedMemory, "sockstat, with the largest buffers"},
	{"connections", countedMemory, "sock_diag"},
	{"pipes", countedMemory, "number of descriptors, as far as the machine lost memory"},
	{"epoll items", countedMemory, "number of descriptors, as far as the machine lost memory"},
	{"epoll items on their way", countedMemory, "bytes in sockets, as far as the machine lost memory"},

	{"POSIX message queues", limitedMemory, "RLIMIT_MSGQUEUE"},
	{"signals and timers", limitedMemory, "RLIMIT_SIGPENDING"},
	{"seccomp filters", limitedMemory, "32,768 instructions a thread, and sandbox.processes"},
	{"inotify watches", limitedMemory, "user.max_inotify_watches and instances"},
	{"terminals", limitedMemory, "max of devpts"},
	{"asynchronous reads", limitedMemory, "fs.aio-max-nr"},

	{"memfd_secret", refusedMemory, "seccomp"},
	{"io_uring", refusedMemory, "seccomp"},
	{"bpf maps", refusedMemory, "seccomp"},
	{"buffers of perf", refusedMemory, "seccomp"},
	{"keys", refusedMemory, "seccomp"},
	{"pages moved into pipes", refusedMemory, "seccomp"},
	{"rules of landlock", refusedMemory, "seccomp"},
	{"marks of fanotify", refusedMemory, "seccomp"},
}
