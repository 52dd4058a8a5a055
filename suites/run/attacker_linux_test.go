package run_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// attackVariable makes the test program an attacker: a hook starts it inside its sandbox. It prints
// ESCAPED for everything that succeeds but must not.
const attackVariable = "HOOKWATCH_TEST_ATTACK"

// attacks contains the attacks by name. Each targets something that its test created.
var attacks = map[string]func(){
	"remount":    attackMounts,
	"nested":     attackNested,
	"signals":    attackSignals,
	"supervisor": attackSupervisor,
	"kernel":     attackKernel,
	"sockets":    attackSockets,
	"disk":       attackDisk,
	"forks":      attackForks,
	"daemons":    attackDaemons,
	"cgroups":    attackCgroups,
	"namespaces": attackNamespaces,
	"calls":      attackCalls,
	"foreign":    attackForeign,
	"families":   attackSocketFamilies,
	"keyring":    attackKeyring,
	"memory":     attackMemory,
	"unmapped":   attackUnmapped,
	"memfds":     useMemfds,
	"files":      attackFiles,
	"sys":        attackSys,
	"limits":     attackLimits,
}

func attack() {
	if act, ok := attacks[os.Getenv(attackVariable)]; ok {
		act()
		syscall.Exit(0) // not os.Exit, which prints that a coverage build has no GOCOVERDIR
	}
}

func escaped(what string) { fmt.Println("ESCAPED", what) }

// world returns the path of a file that must not change.
func world(name string) string { return filepath.Join(os.Getenv("WORLD"), name) }

func writable(path string) bool {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, _ = f.WriteString("written by a hook\n")
		_ = f.Close()
	}
	return err == nil
}

// attackMounts tries to dismantle the sandbox: to uncover the files below mounts or open them for
// writing.
func attackMounts() {
	project := os.Getenv("CLAUDE_PROJECT_DIR")
	tries := map[string]func() error{
		"umount of the project": func() error { return unix.Unmount(project, unix.MNT_DETACH) },
		"umount of HOME":        func() error { return unix.Unmount(os.Getenv("HOME"), unix.MNT_DETACH) },
		"umount of /proc":       func() error { return unix.Unmount("/proc", unix.MNT_DETACH) },
		"remount of /":          func() error { return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "") },
		"remount of /proc":      func() error { return unix.Mount("", "/proc", "", unix.MS_REMOUNT|unix.MS_BIND, "") },
		"a mount of its own":    func() error { return unix.Mount("none", "/mnt", "tmpfs", 0, "") },
		"a device file": func() error {
			return unix.Mknod(filepath.Join(os.Getenv("TMPDIR"), "disk"), unix.S_IFBLK|0o600, 0xfe00)
		},
		"chroot":            func() error { return unix.Chroot(os.Getenv("TMPDIR")) },
		"another namespace": func() error { return setns("/proc/1/ns/mnt") },
	}
	for what, try := range tries {
		if try() == nil {
			escaped(what)
		}
	}
	if writable(world("outside/remounted")) {
		escaped("writing outside")
	}
}

func setns(path string) error {
	fd, err := unix.Open(path, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	return unix.Setns(fd, 0)
}

// attackNested creates nested namespaces, in which it has every capability, and tries the same
// there.
func attackNested() {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), attackVariable+"=remount", "TMPDIR="+os.Getenv("TMPDIR"))
	// Without a map of users, because a read-only /proc would refuse it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS, AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		fmt.Println("no nested namespaces:", err)
		return
	}
	for line := range strings.Lines(string(out)) {
		// Its mounts in its own namespace affect no one else.
		if !strings.Contains(line, "a mount of its own") && !strings.Contains(line, "chroot") && !strings.Contains(line, "another namespace") {
			fmt.Print(line)
		}
	}
}

// attackSignals kills everything that it can reach.
func attackSignals() {
	if victim, err := strconv.Atoi(os.Getenv("VICTIM")); err == nil {
		for _, sig := range []unix.Signal{0, unix.SIGTERM, unix.SIGKILL} {
			if unix.Kill(victim, sig) == nil {
				escaped("a signal to a process outside")
			}
		}
	}
	for sig := unix.Signal(1); sig <= 64; sig++ {
		if sig != unix.SIGCONT {
			_ = unix.Kill(1, sig)
		}
	}
	if os.Getpid() == 1 || os.Getppid() == 0 {
		escaped("into the place of its supervisor")
		return // kill(-1) would not be confined
	}
	if entries, err := filepath.Glob("/proc/[0-9]*"); err != nil || len(entries) > 20 {
		escaped("to the sight of all processes")
		return
	}
	_ = unix.Kill(-1, unix.SIGKILL) // including ourselves
}

// attackSupervisor tries to control process 1, which could undo the sandbox.
func attackSupervisor() {
	if unix.PtraceAttach(1) == nil {
		escaped("tracing process 1")
	}
	for _, f := range []string{"mem", "environ", "maps"} {
		if b := make([]byte, 1); readable("/proc/1/"+f, b) {
			escaped("reading /proc/1/" + f)
		}
	}
	for fd := range 256 {
		if _, err := os.Readlink(fmt.Sprintf("/proc/1/fd/%d", fd)); err == nil {
			escaped(fmt.Sprintf("reaching descriptor %d of process 1", fd))
		}
	}
	if entries, err := os.ReadDir("/proc/1/root"); err == nil && len(entries) > 0 {
		if _, err := os.Stat("/proc/1/root" + world("outside")); err == nil && strings.HasPrefix(os.Getenv("WORLD"), "/tmp/") {
			escaped("the files below through process 1")
		}
	}
}

func readable(path string, b []byte) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	n, _ := f.Read(b)
	return n > 0
}

// attackKernel opens, without writing, files that affect the whole machine.
func attackKernel() {
	for _, path := range []string{
		"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sysrq-trigger",
		"/sys/power/state", "/sys/kernel/uevent_helper", "/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/nvme0n1",
	} {
		if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			_ = f.Close()
			escaped("opening " + path)
		}
	}
	if name, err := os.Hostname(); err == nil && unix.Sethostname([]byte(name)) == nil { // the current name
		escaped("the host's name")
	}
	var rlimit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &rlimit) != nil || rlimit.Max != 0 {
		escaped("core dumps")
	}
	keys, err := os.ReadFile("/proc/self/status")
	if err != nil || !bytes.Contains(keys, []byte("NoNewPrivs:\t1")) {
		escaped("new privileges")
	}
}

// attackSockets tries to connect to the services of the test.
func attackSockets() {
	for _, address := range strings.Split(os.Getenv("SOCKETS"), "\n") {
		network, at, _ := strings.Cut(address, "=")
		conn, err := net.DialTimeout(network, at, time.Second)
		if err == nil {
			_ = conn.Close()
			escaped("a connection to " + address)
		}
	}
}

// attackDisk writes to every possible place until no space is left.
func attackDisk() {
	block := make([]byte, 1<<20)
	for _, dir := range []string{os.Getenv("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm", os.Getenv("HOME"), os.Getenv("CLAUDE_PROJECT_DIR")} {
		f, err := os.Create(filepath.Join(dir, "filler"))
		if err != nil {
			continue
		}
		for written := 0; ; written++ {
			if _, err := f.Write(block); err != nil {
				break
			}
			if written > 200 {
				escaped("its quota in " + dir)
				break
			}
		}
		_ = f.Close()
	}
}

// attackForks starts processes, each of which does the same. When there are as many as there may be,
// it tries again from time to time, so that some is always about to be made.
func attackForks() {
	for {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = os.Environ()
		if cmd.Start() != nil {
			<-time.After(100 * time.Millisecond)
		}
	}
}

// attackDaemons leaves processes in their own sessions. Only their environment shows their origin.
func attackDaemons() {
	for range 3 {
		cmd := exec.Command("bash", "-c", "trap '' TERM HUP INT; (setsid sleep 1000 &) ; exec setsid sleep 1000")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		_ = cmd.Start()
	}
}
