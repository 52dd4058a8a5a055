//go:build amd64 || arm64

package sandbox

import (
	"crypto/rand"
	"encoding/binary"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"hookwatch/suites/process"
	"hookwatch/suites/process/supervisor"
)

// A refusal is a system call that cases do not need, and the error they get for it. Attempts at a
// call with a name are reported.
type refusal struct {
	call  uint32
	errno unix.Errno
	name  string // "": not reported, because programs try it and continue without it
	when  []condition
}

// A condition tests an argument. The call is refused if any condition is true.
type condition struct {
	argument int
	test     test
	value    uint64
}

type test int

const (
	anyBit test = iota // of the lower half
	above              // of the whole value
)

const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWTIME

// refusals lists the refused calls. Calls that a kernel may be built without get the error of such
// a kernel, and calls that require privileges get the error for lacking them.
func refusals(fileSize int64) []refusal {
	all := []refusal{
		// libuv and others continue without io_uring. clone3 passes its flags in memory, where no
		// filter sees them, so libc must use clone instead.
		{call: unix.SYS_IO_URING_SETUP, errno: unix.ENOSYS},
		{call: unix.SYS_IO_URING_ENTER, errno: unix.ENOSYS},
		{call: unix.SYS_IO_URING_REGISTER, errno: unix.ENOSYS},
		{call: unix.SYS_CLONE3, errno: unix.ENOSYS},

		// The kernel counts its pages for no process and no file system.
		{call: unix.SYS_MEMFD_SECRET, errno: unix.ENOSYS},
		// The rules of a ruleset are kernel memory without a limit. Programs continue without them.
		{call: unix.SYS_LANDLOCK_CREATE_RULESET, errno: unix.ENOSYS},
		{call: unix.SYS_FANOTIFY_INIT, errno: unix.ENOSYS}, // its marks keep inodes in memory

		// A part of a page that is moved into a pipe with this call keeps the page's whole
		// allocation, which nothing counts. Programs use write instead.
		{call: unix.SYS_VMSPLICE, errno: unix.ENOSYS},

		{call: unix.SYS_CLONE, errno: unix.EPERM, name: "clone", when: []condition{{0, anyBit, newNamespaces &^ unix.CLONE_NEWTIME}}},
		{call: unix.SYS_UNSHARE, errno: unix.EPERM, name: "unshare", when: []condition{{0, anyBit, newNamespaces}}},
	}
	for _, c := range []refusal{
		{call: unix.SYS_BPF, name: "bpf"}, {call: unix.SYS_PERF_EVENT_OPEN, name: "perf_event_open"},
		{call: unix.SYS_USERFAULTFD, name: "userfaultfd"}, {call: unix.SYS_KEYCTL, name: "keyctl"},
		{call: unix.SYS_ADD_KEY, name: "add_key"}, {call: unix.SYS_REQUEST_KEY, name: "request_key"},
	} {
		all = append(all, refusal{call: c.call, errno: unix.ENOSYS, name: c.name})
	}
	for _, c := range []refusal{
		{call: unix.SYS_MOUNT, name: "mount"}, {call: unix.SYS_UMOUNT2, name: "umount2"},
		{call: unix.SYS_MOVE_MOUNT, name: "move_mount"}, {call: unix.SYS_OPEN_TREE, name: "open_tree"},
		{call: unix.SYS_OPEN_TREE_ATTR, name: "open_tree_attr"}, {call: unix.SYS_FSOPEN, name: "fsopen"},
		{call: unix.SYS_FSMOUNT, name: "fsmount"}, {call: unix.SYS_FSCONFIG, name: "fsconfig"},
		{call: unix.SYS_FSPICK, name: "fspick"}, {call: unix.SYS_MOUNT_SETATTR, name: "mount_setattr"},
		{call: unix.SYS_PIVOT_ROOT, name: "pivot_root"}, {call: unix.SYS_SETNS, name: "setns"},
		{call: unix.SYS_KEXEC_LOAD, name: "kexec_load"}, {call: unix.SYS_KEXEC_FILE_LOAD, name: "kexec_file_load"},
		{call: unix.SYS_INIT_MODULE, name: "init_module"}, {call: unix.SYS_FINIT_MODULE, name: "finit_module"},
		{call: unix.SYS_DELETE_MODULE, name: "delete_module"},
	} {
		all = append(all, refusal{call: c.call, errno: unix.EPERM, name: c.name})
	}
	if fileSize > 0 { // the limit on files has the same effect, but would not be reported
		size := uint64(fileSize)
		all = append(all,
			refusal{call: unix.SYS_TRUNCATE, errno: unix.EFBIG, name: tooLargeFile, when: []condition{{1, above, size}}},
			refusal{call: unix.SYS_FTRUNCATE, errno: unix.EFBIG, name: tooLargeFile, when: []condition{{1, above, size}}},
			refusal{call: unix.SYS_FALLOCATE, errno: unix.EFBIG, name: tooLargeFile, when: []condition{{3, above, size}}})
	}
	return all
}

// An aimedCall changes another process, which an argument names. The supervisor has the same user as
// the case, so the kernel allows these calls to change it, too: prlimit64 with a limit of no
// descriptors once made its poll fail for ever. A caller that aims at itself, with 0, is not asked
// about; those that name a group or the user are refused, because the supervisor belongs to both.
type aimedCall struct {
	call   uint32
	name   string
	target int    // argument with the process
	kind   uint32 // of the target: the value of the argument before it, if that is one
}

var aimedCalls = []aimedCall{
	{unix.SYS_PRLIMIT64, "prlimit64", 0, 0}, {unix.SYS_SETPRIORITY, "setpriority", 1, unix.PRIO_PROCESS},
	{unix.SYS_IOPRIO_SET, "ioprio_set", 1, 1}, {unix.SYS_SCHED_SETSCHEDULER, "sched_setscheduler", 0, 0},
	{unix.SYS_SCHED_SETPARAM, "sched_setparam", 0, 0}, {unix.SYS_SCHED_SETATTR, "sched_setattr", 0, 0},
	{unix.SYS_SCHED_SETAFFINITY, "sched_setaffinity", 0, 0},
}

func (c aimedCall) instructions() (inner []bpf.Instruction) {
	if c.target > 0 {
		inner = append(inner, load(argumentAt), bpf.JumpIf{Cond: bpf.JumpEqual, Val: c.kind, SkipTrue: 1}, failing(unix.EPERM))
	}
	return append(inner, load(argumentAt+8*c.target), bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 1},
		result(unix.SECCOMP_RET_ALLOW), result(unix.SECCOMP_RET_USER_NOTIF))
}

// families are the socket families that cases may use: network sockets, which reach only their own
// loopback, and unix sockets.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6}

// architectures are those whose calls are filtered, with the kernel's numbers. A program of any
// other one, such as a 32-bit one, gets an error for every call.
var architectures = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// x32 marks the calls of the x32 interface of amd64.
const x32 = 0x40000000

// callsKnown reports whether the system calls of this architecture are known.
const callsKnown = true

// filterCalls returns the step that refuses system calls to a case. fileSize is the limit of its
// files in bytes; 0 is no limit.
func filterCalls(fileSize int64) []string {
	all := refusals(fileSize)
	key := servingKey()
	step := []string{
		supervisor.Optional + supervisor.Filter, assemble(instructions(architectures[runtime.GOARCH], all, nil)),
		strconv.FormatUint(key[0], 10), strconv.FormatUint(key[1], 10),
	}
	add := func(call uint32, errno unix.Errno, name string, target int) {
		step = append(step, strconv.Itoa(int(call)), strconv.Itoa(int(errno)), name, strconv.Itoa(target))
	}
	for _, r := range all {
		if r.name != "" {
			add(r.call, r.errno, r.name, supervisor.Anyone)
		}
	}
	for _, c := range aimedCalls {
		add(c.call, unix.EPERM, c.name, c.target)
	}
	add(unix.SYS_MEMFD_CREATE, unix.ENFILE, "memfd_create", supervisor.Anyone)
	add(unix.SYS_SOCKET, unix.EAFNOSUPPORT, otherSocket, supervisor.Anyone)
	add(unix.SYS_SOCKETPAIR, unix.EAFNOSUPPORT, otherSocket, supervisor.Anyone)
	return step
}

// observeCalls returns the step that makes filterCalls report the paths that a case uses, with
// these rules, and those for commands that take turns.
func observeCalls(fileSize int64, rules []string, turns bool) []string {
	observing := assemble(instructions(architectures[runtime.GOARCH], refusals(fileSize), supervisor.ObservedCalls(turns)))
	if fileSize > 0 {
		rules = append(slices.Clip(rules), string(supervisor.Bound)+strconv.FormatInt(fileSize, 10))
	}
	return append([]string{supervisor.Optional + supervisor.Observe, observing}, rules...)
}

// observeOnly returns the steps that report the paths that a case uses, without refusing any call.
func observeOnly(rules []string, turns bool) []process.Step {
	key := servingKey()
	arch := architectures[runtime.GOARCH]
	ask := result(unix.SECCOMP_RET_USER_NOTIF) // calls of another architecture are not understood
	prog := []bpf.Instruction{load(archAt), bpf.JumpIf{Cond: bpf.JumpEqual, Val: arch, SkipTrue: 1}, ask, load(callAt)}
	if arch == unix.AUDIT_ARCH_X86_64 {
		prog = append(prog, bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32, SkipTrue: 1}, ask)
	}
	prog = append(prog, observing(supervisor.ObservedCalls(turns))...)
	return []process.Step{
		append([]string{supervisor.Optional + supervisor.Observe, assemble(prog)}, rules...),
		{supervisor.Optional + supervisor.Filter, "", strconv.FormatUint(key[0], 10), strconv.FormatUint(key[1], 10)},
	}
}

// installedDirs contain what is installed with the system.
var installedDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/nix/store", "/gnu/store", "/snap"}

// observedRules returns the rules for the paths that a case uses: what is the system's is dropped,
// but for programs; links in the case's own directories may lead to others.
func observedRules(own, kept []string) (rules []string) {
	add := func(kind rune, dirs []string) {
		for _, d := range dirs {
			if d != "" {
				rules = append(rules, string(kind)+strings.TrimSuffix(d, "/"))
			}
		}
	}
	add(supervisor.Keep, kept)
	add(supervisor.Follow, own)
	add(supervisor.Drop, slices.Concat(systemDirs, installedDirs))
	return rules
}

// Offsets in the filter's input: the number of the call, the architecture, the address, and 64-bit
// arguments, here with the lower half first.
const (
	callAt     = 0
	archAt     = 4
	argumentAt = 16
)

func load(at int) bpf.Instruction { return bpf.LoadAbsolute{Off: uint32(at), Size: 4} }

func result(v uint32) bpf.Instruction { return bpf.RetConstant{Val: v} }

func failing(errno unix.Errno) bpf.Instruction { return result(unix.SECCOMP_RET_ERRNO | uint32(errno)) }

// assemble returns a filter in the kernel's format.
func assemble(prog []bpf.Instruction) string {
	raw, err := bpf.Assemble(prog)
	if err != nil {
		return "" // the kernel refuses an empty filter, and the sandbox reports that
	}
	var b []byte
	for _, r := range raw {
		b = binary.NativeEndian.AppendUint16(b, r.Op)
		b = binary.NativeEndian.AppendUint32(append(b, r.Jt, r.Jf), r.K)
	}
	return string(b)
}

// instructions returns the filter that refuses calls. The supervisor carries out observed calls
// unchanged.
func instructions(arch uint32, all []refusal, observed []uint32) []bpf.Instruction {
	prog := []bpf.Instruction{
		load(archAt),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: arch, SkipTrue: 1},
		failing(unix.ENOSYS),
		load(callAt),
	}
	if arch == unix.AUDIT_ARCH_X86_64 {
		prog = append(prog, bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32, SkipTrue: 1}, failing(unix.ENOSYS))
	}
	always := make(map[bpf.Instruction][]uint32) // calls by their result
	for _, r := range all {
		if len(r.when) == 0 {
			always[r.result()] = append(always[r.result()], r.call)
		} else {
			prog = append(prog, block(r.call, r.instructions(slices.Contains(observed, r.call)))...)
		}
	}
	for refused, calls := range always {
		prog = append(prog, anyOf(calls, []bpf.Instruction{refused})...)
	}
	var simple []uint32 // that name a process in their first argument
	for _, c := range aimedCalls {
		if c.target == 0 {
			simple = append(simple, c.call)
		} else {
			prog = append(prog, block(c.call, c.instructions())...)
		}
	}
	prog = append(prog, anyOf(simple, aimedCall{}.instructions())...)
	prog = append(prog, anyOf([]uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR}, sockets())...)
	prog = append(prog, block(unix.SYS_MEMFD_CREATE, serve(servingKey(), firstIgnoredOfMemfd))...)
	return append(prog, observing(observed)...)
}

// servingKey lets the supervisor, to which the filter also applies, make the calls that it serves:
// it passes the key in arguments that the kernel ignores. Cases can read neither the supervisor's
// calls nor the filter.
var servingKey = sync.OnceValue(func() (key [2]uint64) {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return [2]uint64{binary.NativeEndian.Uint64(b[:]), binary.NativeEndian.Uint64(b[8:])}
})

// observing passes some calls to the supervisor and allows all others.
func observing(calls []uint32) (prog []bpf.Instruction) {
	for i, call := range calls {
		prog = append(prog, bpf.JumpIf{Cond: bpf.JumpEqual, Val: call, SkipTrue: uint8(len(calls) - i)})
	}
	prog = append(prog, result(unix.SECCOMP_RET_ALLOW))
	if len(calls) == 0 {
		return prog
	}
	return append(prog, serve(servingKey(), firstIgnoredOfPaths)...)
}

// The first of the two arguments with the key: the kernel ignores both in the supervisor's calls.
const (
	firstIgnoredOfMemfd = 2
	firstIgnoredOfPaths = 4
)

// serve passes a call to the supervisor unless it has the key.
func serve(key [2]uint64, firstIgnored int) []bpf.Instruction {
	var inner []bpf.Instruction
	for i, word := range []uint64{key[0] & math.MaxUint32, key[0] >> 32, key[1] & math.MaxUint32, key[1] >> 32} {
		inner = append(inner, load(argumentAt+8*firstIgnored+4*i),
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(word), SkipTrue: uint8(2*(3-i) + 1)})
	}
	return append(inner, result(unix.SECCOMP_RET_ALLOW), result(unix.SECCOMP_RET_USER_NOTIF))
}

// block applies inner, which must end in a result, to one call and is skipped for all others.
func block(call uint32, inner []bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: uint8(len(inner))}}, inner...)
}

// anyOf applies inner to several calls.
func anyOf(calls []uint32, inner []bpf.Instruction) (prog []bpf.Instruction) {
	for i, call := range calls {
		prog = append(prog, bpf.JumpIf{Cond: bpf.JumpEqual, Val: call, SkipTrue: uint8(len(calls) - i)})
	}
	return append(append(prog, bpf.Jump{Skip: uint32(len(inner))}), inner...)
}

// result returns the result of a refused call.
func (r refusal) result() bpf.Instruction {
	if r.name != "" {
		return result(unix.SECCOMP_RET_USER_NOTIF)
	}
	return failing(r.errno)
}

// instructions refuses a call under conditions. If it is observed, it is passed to the supervisor in
// any case.
func (r refusal) instructions(observed bool) (inner []bpf.Instruction) {
	for _, c := range r.when {
		inner = append(inner, c.instructions(r.result())...)
	}
	otherwise := result(unix.SECCOMP_RET_ALLOW)
	if observed {
		otherwise = result(unix.SECCOMP_RET_USER_NOTIF)
	}
	return append(inner, otherwise)
}

func (c condition) instructions(refused bpf.Instruction) []bpf.Instruction {
	low, high := load(argumentAt+8*c.argument), load(argumentAt+8*c.argument+4)
	if c.test == anyBit {
		return []bpf.Instruction{low, bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: uint32(c.value), SkipTrue: 1}, refused}
	}
	return []bpf.Instruction{
		high,
		bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: uint32(c.value >> 32), SkipTrue: 3},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(c.value >> 32), SkipTrue: 3},
		low,
		bpf.JumpIf{Cond: bpf.JumpLessOrEqual, Val: uint32(c.value), SkipTrue: 1},
		refused,
	}
}

// sockets allows the families, and the netlink protocol that lists the interfaces of the case's own
// network, because libc and node use it.
func sockets() []bpf.Instruction {
	allow := result(unix.SECCOMP_RET_ALLOW)
	inner := []bpf.Instruction{load(argumentAt)}
	for _, f := range families {
		inner = append(inner, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: f, SkipTrue: 1}, allow)
	}
	return append(inner,
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.AF_NETLINK, SkipTrue: 3},
		load(argumentAt+8*2),
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.NETLINK_ROUTE, SkipTrue: 1},
		allow,
		result(unix.SECCOMP_RET_USER_NOTIF))
}
