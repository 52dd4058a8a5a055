package run_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attackCgroups kills a process outside through its cgroup, from new nested namespaces.
func attackCgroups() {
	if os.Getenv("INNER") == "" {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), "INNER=1")
		// Without a map of users, because a read-only /proc would refuse it.
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP,
			AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN},
		}
		out, err := cmd.CombinedOutput()
		fmt.Printf("%s%v\n", out, err)
		return
	}
	escaped("into namespaces of its own")
	at := os.Getenv("TMPDIR")
	if err := unix.Mount("none", at, "cgroup2", 0, ""); err != nil {
		return
	}
	escaped("to a mount of the machine's cgroups")
	if os.WriteFile(filepath.Join(at, os.Getenv("MARK"), "cgroup.kill"), []byte("1"), 0) == nil {
		escaped("killing a cgroup outside")
	}
}

// attackNamespaces creates each kind of namespace in each way.
func attackNamespaces() {
	for _, flag := range []int{
		unix.CLONE_NEWUSER, unix.CLONE_NEWNS, unix.CLONE_NEWPID, unix.CLONE_NEWNET,
		unix.CLONE_NEWIPC, unix.CLONE_NEWUTS, unix.CLONE_NEWCGROUP, unix.CLONE_NEWTIME,
	} {
		if unix.Unshare(flag) == nil {
			escaped(fmt.Sprintf("unshare %x", flag))
		}
		if flag == unix.CLONE_NEWTIME {
			continue // clone interprets it as a part of the signal
		}
		if pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(flag)|uintptr(unix.SIGCHLD)|unix.CLONE_VFORK, 0, 0, 0, 0, 0); errno == 0 {
			if pid == 0 {
				syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
			}
			escaped(fmt.Sprintf("clone %x", flag))
		}
	}
	args := [8]uint64{unix.CLONE_NEWUSER, 0, 0, 0, uint64(unix.SIGCHLD)}
	pid, _, errno := syscall.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), 0)
	if errno == 0 {
		if pid == 0 {
			syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		escaped("clone3")
	}
	if errno != unix.ENOSYS {
		escaped("from the filter, with clone3: " + errno.Error())
	}
}

// attackCalls makes the system calls that no hook needs. A call that is not refused returns an
// error about its arguments, or has an effect.
func attackCalls() {
	for name, call := range map[string]uintptr{
		"io_uring_setup": unix.SYS_IO_URING_SETUP, "io_uring_enter": unix.SYS_IO_URING_ENTER, "io_uring_register": unix.SYS_IO_URING_REGISTER,
		"bpf": unix.SYS_BPF, "perf_event_open": unix.SYS_PERF_EVENT_OPEN, "userfaultfd": unix.SYS_USERFAULTFD,
		"keyctl": unix.SYS_KEYCTL, "add_key": unix.SYS_ADD_KEY, "request_key": unix.SYS_REQUEST_KEY,
		"mount": unix.SYS_MOUNT, "umount2": unix.SYS_UMOUNT2, "move_mount": unix.SYS_MOVE_MOUNT, "open_tree": unix.SYS_OPEN_TREE,
		"open_tree_attr": unix.SYS_OPEN_TREE_ATTR, "fsopen": unix.SYS_FSOPEN, "fsmount": unix.SYS_FSMOUNT,
		"fsconfig": unix.SYS_FSCONFIG, "fspick": unix.SYS_FSPICK, "mount_setattr": unix.SYS_MOUNT_SETATTR,
		"pivot_root": unix.SYS_PIVOT_ROOT, "setns": unix.SYS_SETNS, "kexec_load": unix.SYS_KEXEC_LOAD,
		"init_module": unix.SYS_INIT_MODULE, "finit_module": unix.SYS_FINIT_MODULE, "delete_module": unix.SYS_DELETE_MODULE,
	} {
		_, _, errno := syscall.RawSyscall6(call, 0, 0, 0, 0, 0, 0)
		if errno != unix.EPERM && errno != unix.ENOSYS {
			escaped(fmt.Sprintf("calling %s: %v", name, errno))
		}
	}
	if _, _, errno := syscall.RawSyscall(0x40000000|unix.SYS_GETPID, 0, 0, 0); errno != unix.ENOSYS {
		escaped("by the calls of x32")
	}
}

// attackForeign starts a program of another architecture, whose calls have other
// numbers.
func attackForeign() {
	path := filepath.Join(os.Getenv("TMPDIR"), "foreign")
	if err := os.WriteFile(path, foreignProgram("ESCAPED by the calls of i386\n"), 0o755); err != nil {
		fmt.Println(err)
		return
	}
	out, err := exec.Command(path).CombinedOutput()
	fmt.Printf("%s%v\n", out, err)
}

// foreignProgram returns a program for 32-bit x86 that writes a text and exits.
func foreignProgram(text string) []byte {
	const base, header = 0x08048000, 52 + 32
	code := []byte{
		0xb8, 4, 0, 0, 0, // mov eax, 4 (write)
		0xbb, 1, 0, 0, 0, // mov ebx, 1
		0xb9, 0, 0, 0, 0, // mov ecx, text
		0xba, byte(len(text)), 0, 0, 0, // mov edx, its length
		0xcd, 0x80, // int 0x80
		0xb8, 1, 0, 0, 0, // mov eax, 1 (exit)
		0x31, 0xdb, // xor ebx, ebx
		0xcd, 0x80, // int 0x80
	}
	word := func(v int) string { return string([]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)}) }
	half := func(v int) string { return word(v)[:2] }
	size := header + len(code) + len(text)
	copy(code[11:], word(base+header+len(code)))
	return []byte("\x7fELF\x01\x01\x01" + strings.Repeat("\x00", 9) + half(2) + half(3) + word(1) +
		word(base+header) + word(52) + word(0) + word(0) + half(52) + half(32) + half(1) + half(0) + half(0) + half(0) +
		word(1) + word(0) + word(base) + word(base) + word(size) + word(size) + word(5) + word(0x1000) + string(code) + text)
}

// attackSocketFamilies opens sockets of every family except network and unix sockets, and every
// netlink protocol except the one that lists interfaces.
func attackSocketFamilies() {
	for family := range 64 {
		switch family {
		case unix.AF_UNIX, unix.AF_INET, unix.AF_INET6:
			continue
		}
		for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_RAW, unix.SOCK_SEQPACKET} {
			for protocol := range 32 {
				if family == unix.AF_NETLINK && protocol == unix.NETLINK_ROUTE {
					continue
				}
				if fd, err := unix.Socket(family, kind, protocol); err == nil {
					_ = unix.Close(fd)
					escaped(fmt.Sprintf("a socket of family %d, protocol %d", family, protocol))
				}
			}
		}
	}
}

// attackKeyring reads and writes keys of the user.
func attackKeyring() {
	const user = -4
	const search = 10
	str := func(s string) uintptr { p, _ := unix.BytePtrFromString(s); return uintptr(unsafe.Pointer(p)) }
	keyring := user
	if id, _, errno := syscall.Syscall6(unix.SYS_KEYCTL, search, uintptr(keyring), str("user"), str(os.Getenv("MARK")), 0, 0); errno == 0 {
		escaped("finding a key of the user's")
		readKey(id)
	}
	b, _ := os.ReadFile("/proc/keys")
	for line := range strings.Lines(string(b)) {
		if id, err := strconv.ParseUint(strings.Fields(line)[0], 16, 32); err == nil && strings.Contains(line, os.Getenv("MARK")) {
			escaped("seeing a key of the user's")
			readKey(uintptr(id))
		}
	}
	if _, _, errno := syscall.Syscall6(unix.SYS_ADD_KEY, str("user"), str(os.Getenv("MARK")+"-new"), str("x"), 1, uintptr(keyring), 0); errno == 0 {
		escaped("adding a key of the user's")
	}
}

func readKey(id uintptr) {
	const read = 11
	b := make([]byte, 100)
	n, _, errno := syscall.Syscall6(unix.SYS_KEYCTL, read, id, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0)
	if errno == 0 {
		escaped("reading a key: " + string(b[:n]))
	}
}

// attackMemory allocates memory until it is ended, alone, with others, or shared.
func attackMemory() {
	switch os.Getenv("HOW") {
	case "many":
		for range 4 {
			cmd := exec.Command("/proc/self/exe")
			cmd.Env = append(os.Environ(), "HOW=some")
			_ = cmd.Start()
		}
		_ = unix.Pause()
	case "some":
		take(100 << 20)
		_ = unix.Pause()
	case "shared":
		for range 10 {
			b, err := unix.Mmap(-1, 0, 100<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
			if err != nil {
				break
			}
			touch(b)
		}
		_ = unix.Pause()
	default:
		take(1 << 30)
	}
	escaped("from the bound on memory")
}

func take(size int) {
	for taken := 0; taken < size; taken += 1 << 20 {
		b, err := unix.Mmap(-1, 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return
		}
		touch(b)
	}
}

func touch(b []byte) {
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
}

// attackFiles creates a file larger than a case may write.
func attackFiles() {
	path := filepath.Join(os.Getenv("TMPDIR"), "large")
	f, err := os.Create(path)
	if err != nil {
		return
	}
	const size = 1 << 40
	err = errors.Join(f.Truncate(size), os.Truncate(path, size), unix.Fallocate(int(f.Fd()), 0, 0, size))
	if fi, e := f.Stat(); e != nil || fi.Size() >= size {
		escaped("its bound on files")
	}
	fmt.Println(err)
}

// attackSys examines the machine through /sys.
func attackSys() {
	for _, path := range []string{
		"/sys/class/net", "/sys/block", "/sys/bus", "/sys/fs", "/sys/firmware", "/sys/module", "/sys/power",
		"/sys/devices/virtual", "/sys/devices/pci0000:00", "/sys/devices/platform", "/sys/kernel/debug", "/sys/kernel/security", "/sys/fs/cgroup",
	} {
		if _, err := os.Stat(path); err == nil {
			escaped("to the sight of " + path)
		}
	}
	if _, err := os.Stat("/sys/devices/system/cpu/online"); err != nil {
		escaped("nowhere, but lost what libc reads: " + err.Error())
	}
	for _, path := range []string{"/sys/new", "/sys/kernel/new", "/sys/devices/system/cpu/cpu0/online"} {
		if writable(path) {
			escaped("writing " + path)
		}
	}
}

// attackLimits checks the inherited limits and tries to raise them.
func attackLimits() {
	for resource, most := range map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: 8192, unix.RLIMIT_FSIZE: 8 << 20} {
		var limit unix.Rlimit
		if err := unix.Getrlimit(resource, &limit); err != nil || limit.Max > most {
			escaped(fmt.Sprintf("resource %d: %d", resource, limit.Max))
		}
		if unix.Setrlimit(resource, &unix.Rlimit{Cur: most + 1, Max: most + 1}) == nil {
			escaped(fmt.Sprintf("raising resource %d", resource))
		}
	}
	const adjust = "/proc/self/oom_score_adj"
	if b, err := os.ReadFile(adjust); err != nil || strings.TrimSpace(string(b)) != "1000" {
		escaped("being the first to go: " + string(b))
	}
	if os.WriteFile(adjust, []byte("0"), 0) == nil {
		escaped("being the first to go, by itself")
	}
}
