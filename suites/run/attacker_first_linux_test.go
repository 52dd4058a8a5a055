package run_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func init() {
	attacks["first"] = attackFirst
	attacks["relatives"] = attackAsRelative
}

// A firstCall tries to influence process 1 of the sandbox, or a thread of it, or to get a hold on it.
type firstCall struct {
	name string
	make func(target int)
}

// raw makes a system call. Its error does not matter, because attackFirst compares the effects.
func raw(call uintptr, a ...uintptr) uintptr {
	var all [6]uintptr
	copy(all[:], a)
	r, _, errno := syscall.Syscall6(call, all[0], all[1], all[2], all[3], all[4], all[5])
	if errno != 0 {
		return 0
	}
	return r
}

// got reports a call that returned what it must not.
func got(what string, ok bool) {
	if ok {
		escaped(what)
	}
}

func pointer[T any](v *T) uintptr { return uintptr(unsafe.Pointer(v)) }

func everySignal(do func(sig int)) {
	for sig := 1; sig <= 64; sig++ {
		if sig != int(unix.SIGCONT) {
			do(sig)
		}
	}
}

// openFirst returns a pidfd of process 1.
func openFirst() uintptr { return raw(unix.SYS_PIDFD_OPEN, 1, 0) }

const (
	whoProcess, whoGroup, whoUser = 0, 1, 2 // of setpriority; ioprio_set counts from 1
	idleClass                     = 3 << 13
)

// firstCalls are the calls. target is process 1 or one of its threads.
var firstCalls = []firstCall{
	{"kill", func(int) { everySignal(func(sig int) { _ = unix.Kill(1, unix.Signal(sig)) }) }},
	{"tkill", func(target int) { everySignal(func(sig int) { raw(unix.SYS_TKILL, uintptr(target), uintptr(sig)) }) }},
	{"tgkill", func(target int) {
		everySignal(func(sig int) { raw(unix.SYS_TGKILL, 1, uintptr(target), uintptr(sig)) })
	}},
	{"rt_sigqueueinfo", func(int) {
		everySignal(func(sig int) {
			info := [16]int64{int64(sig), 0xffffffff}
			raw(unix.SYS_RT_SIGQUEUEINFO, 1, uintptr(sig), pointer(&info))
		})
	}},
	{"rt_tgsigqueueinfo", func(target int) {
		everySignal(func(sig int) {
			info := [16]int64{int64(sig), 0xffffffff}
			raw(unix.SYS_RT_TGSIGQUEUEINFO, 1, uintptr(target), uintptr(sig), pointer(&info))
		})
	}},
	{"pidfd_send_signal", func(int) {
		fd := openFirst()
		everySignal(func(sig int) { raw(unix.SYS_PIDFD_SEND_SIGNAL, fd, uintptr(sig), 0, 0) })
	}},
	{"prlimit of NOFILE", limitFirst(unix.RLIMIT_NOFILE)}, {"prlimit of CPU", limitFirst(unix.RLIMIT_CPU)},
	{"prlimit of AS", limitFirst(unix.RLIMIT_AS)}, {"prlimit of FSIZE", limitFirst(unix.RLIMIT_FSIZE)},
	{"prlimit of DATA", limitFirst(unix.RLIMIT_DATA)}, {"prlimit of STACK", limitFirst(unix.RLIMIT_STACK)},
	{"prlimit of CORE", limitFirst(unix.RLIMIT_CORE)}, {"prlimit of RSS", limitFirst(unix.RLIMIT_RSS)},
	{"prlimit of NPROC", limitFirst(unix.RLIMIT_NPROC)}, {"prlimit of MEMLOCK", limitFirst(unix.RLIMIT_MEMLOCK)},
	{"prlimit of LOCKS", limitFirst(unix.RLIMIT_LOCKS)}, {"prlimit of SIGPENDING", limitFirst(unix.RLIMIT_SIGPENDING)},
	{"prlimit of MSGQUEUE", limitFirst(unix.RLIMIT_MSGQUEUE)}, {"prlimit of NICE", limitFirst(unix.RLIMIT_NICE)},
	{"prlimit of RTPRIO", limitFirst(unix.RLIMIT_RTPRIO)}, {"prlimit of RTTIME", limitFirst(unix.RLIMIT_RTTIME)},
	{"prlimit with a high half", func(target int) {
		none := unix.Rlimit{}
		raw(unix.SYS_PRLIMIT64, uintptr(target)|1<<32, unix.RLIMIT_NOFILE, pointer(&none), 0)
	}},
	{"setpriority", func(target int) { raw(unix.SYS_SETPRIORITY, whoProcess, uintptr(target), 19) }},
	{"setpriority of its group", func(int) { raw(unix.SYS_SETPRIORITY, whoGroup, 1, 19) }},
	{"setpriority of its group, from inside", func(int) {
		_ = unix.Setpgid(0, 1)
		raw(unix.SYS_SETPRIORITY, whoGroup, 0, 19)
		_ = unix.Setpgid(0, 0)
	}},
	{"setpriority of the user", func(int) {
		raw(unix.SYS_SETPRIORITY, whoUser, 0, 19)
		raw(unix.SYS_SETPRIORITY, whoUser, uintptr(os.Getuid()), 19)
	}},
	{"ioprio_set", func(target int) { raw(unix.SYS_IOPRIO_SET, whoProcess+1, uintptr(target), idleClass) }},
	{"ioprio_set of its group", func(int) {
		raw(unix.SYS_IOPRIO_SET, whoGroup+1, 1, idleClass)
		_ = unix.Setpgid(0, 1)
		raw(unix.SYS_IOPRIO_SET, whoGroup+1, 0, idleClass)
		_ = unix.Setpgid(0, 0)
	}},
	{"ioprio_set of the user", func(int) { raw(unix.SYS_IOPRIO_SET, whoUser+1, uintptr(os.Getuid()), idleClass) }},
	{"sched_setscheduler", func(target int) {
		none := int32(0)
		raw(unix.SYS_SCHED_SETSCHEDULER, uintptr(target), unix.SCHED_IDLE, pointer(&none))
		raw(unix.SYS_SCHED_SETSCHEDULER, uintptr(target), unix.SCHED_BATCH, pointer(&none))
	}},
	{"sched_setparam", func(target int) {
		one := int32(1)
		raw(unix.SYS_SCHED_SETPARAM, uintptr(target), pointer(&one))
	}},
	{"sched_setattr", func(target int) {
		attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE, Nice: 19}
		raw(unix.SYS_SCHED_SETATTR, uintptr(target), pointer(&attr), 0)
	}},
	{"sched_setaffinity", func(target int) {
		var set unix.CPUSet
		set.Set(0)
		_ = unix.SchedSetaffinity(target, &set)
	}},
	{"prctl of core scheduling", func(target int) {
		const create, shareTo = 1, 2
		raw(unix.SYS_PRCTL, unix.PR_SCHED_CORE, create, uintptr(target), 1, 0)
		got("sharing the core's cookie with process 1", unix.Prctl(unix.PR_SCHED_CORE, shareTo, uintptr(target), 1, 0) == nil)
	}},
	{"ptrace", func(target int) {
		got("tracing process 1", unix.PtraceAttach(target) == nil || unix.PtraceSeize(target) == nil)
	}},
	{"prctl of its tracer", func(int) { _ = unix.Prctl(unix.PR_SET_PTRACER, 1, 0, 0, 0) }},
	{"process_vm_writev", func(target int) {
		b := [1]byte{}
		local, remote := []unix.Iovec{{Base: &b[0], Len: 1}}, []unix.RemoteIovec{{Base: 0x400000, Len: 1}}
		_, write := unix.ProcessVMWritev(target, local, remote, 0)
		_, read := unix.ProcessVMReadv(target, local, remote, 0)
		got("the memory of process 1", write == nil || read == nil)
	}},
	{"process_madvise", func(int) {
		at := unix.Iovec{Len: 4096}
		raw(unix.SYS_PROCESS_MADVISE, openFirst(), pointer(&at), 1, unix.MADV_PAGEOUT, 0)
	}},
	{"process_mrelease", func(int) { raw(unix.SYS_PROCESS_MRELEASE, openFirst(), 0) }},
	{"pidfd_getfd", func(int) {
		for fd := range uintptr(40) {
			got("a descriptor of process 1", raw(unix.SYS_PIDFD_GETFD, openFirst(), fd, 0) != 0)
		}
	}},
	{"kcmp", func(int) {
		_, _, errno := syscall.Syscall6(unix.SYS_KCMP, 1, uintptr(os.Getpid()), 0, 0, 0, 0)
		got("comparing descriptors with process 1", errno == 0)
	}},
	{"move_pages", func(int) {
		page, status := uintptr(0x400000), int32(0)
		_, _, errno := syscall.Syscall6(unix.SYS_MOVE_PAGES, 1, 1, pointer(&page), 0, pointer(&status), 0)
		got("the pages of process 1", errno == 0)
	}},
	{"migrate_pages", func(int) {
		nodes := uint64(1)
		_, _, errno := syscall.Syscall6(unix.SYS_MIGRATE_PAGES, 1, 2, pointer(&nodes), pointer(&nodes), 0, 0)
		got("moving the pages of process 1", errno == 0)
	}},
	{"get_robust_list", func(target int) {
		var head, size uintptr
		_, _, errno := syscall.Syscall(unix.SYS_GET_ROBUST_LIST, uintptr(target), pointer(&head), pointer(&size))
		got("the locks of process 1", errno == 0)
	}},
	{"setpgid", func(target int) { _ = unix.Setpgid(target, os.Getpid()); _ = unix.Setpgid(1, 1) }},
	{"its group's signals", func(int) {
		if unix.Setpgid(0, 1) == nil {
			everySignal(func(sig int) {
				if unix.Signal(sig) != unix.SIGKILL && unix.Signal(sig) != unix.SIGSTOP {
					signalIgnored(sig, func() { _ = unix.Kill(0, unix.Signal(sig)) })
				}
			})
			_ = unix.Setpgid(0, 0)
		}
	}},
	{"F_SETOWN", func(target int) { notifyFirst(unix.F_SETOWN, uintptr(1)) }},
	{"F_SETOWN_EX", func(target int) {
		owner := [2]int32{0, int32(target)} // F_OWNER_TID
		notifyFirst(unix.F_SETOWN_EX, pointer(&owner))
	}},
	{"F_SETLEASE and F_NOTIFY", func(int) {
		f, err := os.Open("/proc/1")
		if err == nil {
			raw(unix.SYS_FCNTL, f.Fd(), unix.F_NOTIFY, 1<<31|1)
			raw(unix.SYS_FCNTL, f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
			_ = f.Close()
		}
	}},
	{"timer_create", func(target int) {
		event := struct {
			value        uint64
			signal, kind int32
			thread       int32
			_            [44]byte
		}{signal: int32(unix.SIGKILL), kind: 4, thread: int32(target)}
		id := int32(0)
		_, _, errno := syscall.Syscall(unix.SYS_TIMER_CREATE, 0, pointer(&event), pointer(&id))
		got("a timer of process 1", errno == 0)
	}},
	{"/proc/1/mem", writesFirst("mem", "\x00")}, {"/proc/1/oom_score_adj", writesFirst("oom_score_adj", "0")},
	{"/proc/1/oom_adj", writesFirst("oom_adj", "0")}, {"/proc/1/coredump_filter", writesFirst("coredump_filter", "0")},
	{"/proc/1/timerslack_ns", writesFirst("timerslack_ns", "4000000000")}, {"/proc/1/autogroup", writesFirst("autogroup", "19")},
	{"/proc/1/clear_refs", writesFirst("clear_refs", "5")}, {"/proc/1/comm", writesFirst("comm", "mine")},
	{"/proc/1/sched", writesFirst("sched", "0")}, {"/proc/1/attr/current", writesFirst("attr/current", "x")},
	{"/proc/1/loginuid", writesFirst("loginuid", "0")}, {"/proc/1/setgroups", writesFirst("setgroups", "deny")},
	{"/proc/1/uid_map", writesFirst("uid_map", "0 0 1")}, {"/proc/1/fail-nth", writesFirst("fail-nth", "1")},
	{"/proc/1/make-it-fail", writesFirst("make-it-fail", "1")}, {"/proc/1/timens_offsets", writesFirst("timens_offsets", "1 1 1")},
	{"/proc/1/fd", func(int) {
		for fd := range 40 {
			f, err := os.OpenFile(fmt.Sprintf("/proc/1/fd/%d", fd), os.O_RDWR, 0)
			got("opening a descriptor of process 1", err == nil)
			_ = f.Close()
		}
	}},
	{"/proc/1/map_files, root, cwd, exe", func(int) {
		for _, name := range []string{"map_files", "root/.", "cwd/.", "exe", "environ", "maps", "stack", "syscall", "pagemap"} {
			_, err := os.ReadDir("/proc/1/" + name)
			b := make([]byte, 1)
			got("/proc/1/"+name, err == nil || readable("/proc/1/"+name, b))
		}
	}},
	{"perf_event_open", func(target int) {
		attr := unix.PerfEventAttr{Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Type: unix.PERF_TYPE_SOFTWARE}
		_, err := unix.PerfEventOpen(&attr, target, -1, -1, 0)
		got("counting events of process 1", err == nil)
	}},
	{"setns by pidfd", func(int) { got("the namespaces of process 1", unix.Setns(int(openFirst()), unix.CLONE_NEWNET) == nil) }},
	{"mount over /proc", func(int) {
		got("a mount over /proc", unix.Mount("none", "/proc", "tmpfs", 0, "") == nil || unix.Mount("/dev", "/proc/1", "", unix.MS_BIND, "") == nil)
	}},
	{"reboot", func(int) {
		_ = unix.Reboot(unix.LINUX_REBOOT_CMD_RESTART)
		_ = unix.Reboot(unix.LINUX_REBOOT_CMD_HALT)
	}},
	{"its terminal", func(int) {
		fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0)
		if err == nil {
			_ = unix.IoctlSetInt(fd, unix.TIOCSCTTY, 1)
			_ = unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, 1)
			_ = unix.IoctlSetInt(fd, unix.TIOCSIG, int(unix.SIGINT))
			_ = unix.Close(fd)
		}
		raw(unix.SYS_VHANGUP)
	}},
	{"io_uring, bpf, userfaultfd, keys", func(int) { attackCalls() }},
}

// limitFirst lowers a limit to 0, and in steps, because a limit that fits what is in use does other
// harm than none.
func limitFirst(resource int) func(int) {
	return func(target int) {
		for _, most := range []uint64{0, 3, 5} {
			limit := unix.Rlimit{Cur: most, Max: most}
			_ = unix.Prlimit(target, resource, &limit, nil)
		}
	}
}

func writesFirst(name, content string) func(int) {
	return func(target int) {
		for _, path := range []string{"/proc/1/" + name, fmt.Sprintf("/proc/1/task/%d/%s", target, name)} {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				continue
			}
			_, err = f.WriteString(content)
			got("writing "+path, err == nil)
			_ = f.Close()
		}
	}
}

// notifyFirst makes process 1 the one that is signalled about a pipe, with every signal.
func notifyFirst(command int, owner uintptr) {
	var p [2]int
	if unix.Pipe(p[:]) != nil {
		return
	}
	raw(unix.SYS_FCNTL, uintptr(p[0]), uintptr(command), owner)
	raw(unix.SYS_FCNTL, uintptr(p[0]), unix.F_SETFL, unix.O_ASYNC|unix.O_NONBLOCK)
	everySignal(func(sig int) {
		raw(unix.SYS_FCNTL, uintptr(p[0]), unix.F_SETSIG, uintptr(sig))
		_, _ = unix.Write(p[1], []byte{1})
	})
	_, _ = unix.Close(p[0]), unix.Close(p[1])
}

// signalIgnored ignores a signal while do sends it.
func signalIgnored(sig int, do func()) {
	var ignore, before [4]uint64
	ignore[0] = 1 // SIG_IGN
	raw(unix.SYS_RT_SIGACTION, uintptr(sig), pointer(&ignore), pointer(&before), 8)
	do()
	raw(unix.SYS_RT_SIGACTION, uintptr(sig), pointer(&before), 0, 8)
}

// attackFirst makes the calls and reports each after which process 1 is not as before. Then it does
// what HOW names.
func attackFirst() {
	for _, c := range firstCalls {
		threads := threadsOfFirst()
		before := stateOfFirst(threads)
		for _, target := range threads {
			c.make(target)
		}
		after := stateOfFirst(threads)
		for tries := 0; after != before && tries < 2000; tries++ { // signals to all threads that block them are pending for a moment
			_ = unix.Nanosleep(&unix.Timespec{Nsec: 1e6}, nil)
			after = stateOfFirst(threads)
		}
		if after != before {
			escaped(fmt.Sprintf("with %s: process 1 had %q", c.name, firstDifference(before, after)))
		}
	}
	switch os.Getenv("HOW") {
	case "hang":
		_ = unix.Pause()
	case "memory":
		attackMemory()
	}
}

// firstDifference returns the first line in which two texts differ, of both.
func firstDifference(before, after string) [2]string {
	b, a := strings.Split(before, "\n"), strings.Split(after, "\n")
	for i := range min(len(b), len(a)) {
		if b[i] != a[i] {
			return [2]string{b[i], a[i]}
		}
	}
	return [2]string{fmt.Sprint(len(b), " lines"), fmt.Sprint(len(a))}
}

func threadsOfFirst() []int {
	var all []int
	tasks, _ := filepath.Glob("/proc/1/task/[0-9]*")
	for _, task := range tasks {
		id, _ := strconv.Atoi(filepath.Base(task))
		all = append(all, id)
	}
	return all
}

// stateOfFirst returns what others could change of process 1 and these threads. The signals that a
// thread blocks are its own, and so are those that are pending because it blocks them for a moment.
func stateOfFirst(threads []int) string {
	read := func(name string) string { b, _ := os.ReadFile("/proc/1/" + name); return string(b) }
	all := read("limits") + read("oom_score_adj") + read("coredump_filter") + read("timerslack_ns") + read("comm")
	for _, task := range threads {
		at := "task/" + strconv.Itoa(task)
		for line := range strings.Lines(read(at + "/status")) {
			if kind, _, _ := strings.Cut(line, ":"); slices.Contains([]string{
				"TracerPid", "Uid", "Gid", "Groups", "ShdPnd", "SigIgn", "SigCgt", "CapEff", "NoNewPrivs", "Cpus_allowed_list", "Mems_allowed_list",
			}, kind) {
				all += line
			}
		}
		stat := read(at + "/stat")
		if fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:]); len(fields) > 38 {
			const parent, terminal, priority, nice, realtime, policy = 1, 4, 15, 16, 37, 38
			all += strings.Join(append(fields[parent:terminal+2], fields[priority], fields[nice], fields[realtime], fields[policy]), " ") + "\n"
		}
		io, _, _ := syscall.Syscall(unix.SYS_IOPRIO_GET, 1, uintptr(task), 0)
		all += fmt.Sprintln("ioprio", io)
	}
	return all
}

// attackAsRelative uses what a child may do to its parent.
func attackAsRelative() {
	if os.Getppid() != 1 {
		escaped("nowhere, but the hook did not become this program")
	}
	pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, unix.CLONE_PARENT|unix.CLONE_VFORK|uintptr(unix.SIGKILL), 0, 0, 0, 0, 0)
	if pid == 0 && errno == 0 {
		syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	runtime.LockOSThread() // only the thread that asks for it is traced, and must get the signal
	switch os.Getenv("HOW") {
	case "traced":
		raw(unix.SYS_PTRACE, unix.PTRACE_TRACEME)
		_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
	case "traced and away":
		raw(unix.SYS_PTRACE, unix.PTRACE_TRACEME)
		cmd := exec.Command("setsid", "sleep", "1000")
		_ = cmd.Start()
		_ = unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGTRAP)
	}
	_ = unix.Pause()
}
