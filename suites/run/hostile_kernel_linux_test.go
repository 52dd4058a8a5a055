package run_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"hookwatch/suites/process/testdata/processtest"
)

// kernelActs attack the kernel, or use more of the machine than a case may. want is the expected
// report.
var kernelActs = []struct{ name, act, want string }{
	{"kills by a cgroup", attackVariable + `=cgroups "$SELF"`, "wanted system calls that are refused: clone"},
	{"makes namespaces", attackVariable + `=namespaces "$SELF"`, "wanted system calls that are refused: clone, unshare"},
	{"makes rare calls", attackVariable + `=calls "$SELF"`, "refused: add_key, bpf, delete_module"},
	{"comes from another architecture", attackVariable + `=foreign "$SELF"; true`, ""},
	{"opens rare sockets", attackVariable + `=families "$SELF"`, "wanted system calls that are refused: socket"},
	{"takes keys", attackVariable + `=keyring "$SELF"`, "wanted system calls that are refused: add_key, keyctl"},
	{"takes memory", attackVariable + `=memory "$SELF"`, "MEMORY_192MiB"},
	{"takes memory with others", attackVariable + `=memory HOW=many "$SELF"`, "MEMORY_192MiB"},
	{"takes shared memory", attackVariable + `=memory HOW=shared "$SELF"`, "MEMORY_192MiB"},
	{"makes a large file", attackVariable + `=files "$SELF"`, "wanted a file of more than 8 MB (sandbox.size)"},
	{"truncates to a large file", `truncate -s 1T "$TMPDIR/x"; exit 1`, "wanted a file of more than 8 MB (sandbox.size)"},
	{"writes far out", `dd if=/dev/zero of="$TMPDIR/x" bs=1 count=1 seek=1T conv=notrunc`, "wanted a file of more than 8 MB (sandbox.size)"},
	{"looks around in /sys", attackVariable + `=sys "$SELF"`, ""},
	{"raises its limits", attackVariable + `=limits "$SELF"`, ""},
}

func TestHostileToTheKernel(t *testing.T) {
	t.Parallel()
	h := newHostile(t, t.TempDir())
	h.inCgroup()
	h.withKey()
	r := h.runner("namespaces")
	for _, tt := range kernelActs {
		h.unharmed(tt.name, func() {
			o, report := h.act(r, tt.act)
			res := o.Last()
			if bytes.Contains(res.Stdout, []byte("ESCAPED")) || bytes.Contains(res.Stdout, []byte(secret)) {
				t.Errorf("%s: %s\n%s", tt.name, res.Stdout, res.Stderr)
			}
			if !strings.Contains(report, tt.want) {
				t.Errorf("%s: the report does not say %q:\n%s\nstdout %s\nstderr %s", tt.name, tt.want, report, res.Stdout, res.Stderr)
			}
		})
	}
	if b, err := os.ReadFile("/proc/" + strconv.Itoa(h.victim.Process.Pid) + "/stat"); err != nil || strings.Contains(string(b), ") Z") {
		t.Errorf("the process in a cgroup of its own was ended: %s %v", b, err)
	}
}

// limitActs are also confined without namespaces.
var limitActs = []string{"takes memory", "takes memory with others", "takes shared memory", "writes far out"}

func TestLimitsInPlace(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"copy", "none"} {
		h := newHostile(t, t.TempDir())
		r := h.runner(mode)
		for _, tt := range kernelActs {
			for _, name := range limitActs {
				if tt.name != name {
					continue
				}
				h.unharmed(name, func() {
					if o, report := h.act(r, tt.act); !strings.Contains(report, tt.want) || bytes.Contains(o.Last().Stdout, []byte("ESCAPED")) {
						t.Errorf("%s: %s: the report does not say %q:\n%s\n%s", mode, name, tt.want, report, o.Last().Stdout)
					}
				})
			}
		}
		h.unharmed("looks at its limits", func() {
			o, _ := h.act(r, attackVariable+`=limits "$SELF"`)
			for line := range strings.Lines(string(o.Last().Stdout)) {
				// In place, hooks can restore what they inherited, and root can take more.
				if !strings.Contains(line, "by itself") && !strings.Contains(line, "raising") {
					t.Errorf("%s: %s", mode, line)
				}
			}
		})
	}
}

// TestMemoryKinds takes memory of every kind, most of which no process shows.
func TestMemoryKinds(t *testing.T) {
	t.Parallel()
	h := newHostile(t, t.TempDir())
	r := h.runnerWith("namespaces", 1<<30, 96<<20)
	for _, k := range processtest.Sample(memoryKinds, 3) {
		if kindsOfMemory[k.name] == nil {
			t.Errorf("nothing takes %s", k.name)
			continue
		}
		act, want := attackVariable+`=unmapped HOW="`+k.name+`" "$SELF"`, ""
		if k.means == countedMemory {
			act, want = "export COUNTED=1; "+act, "MEMORY_96MiB"
		}
		h.unharmed(k.name, func() {
			o, report := h.act(r, act)
			for range 9 { // a program that frees memory at that moment may hide what counts as far as the machine lost memory
				if want == "" || strings.Contains(report, want) || !strings.Contains(k.by, "lost memory") {
					break
				}
				o, report = h.act(r, act)
			}
			if res := o.Last(); !strings.Contains(report, want) || bytes.Contains(res.Stdout, []byte("ESCAPED")) || want == "" && res.Exit != 0 {
				t.Errorf("%s: the report does not show it:\n%s\nstdout %s\nstderr %s", k.name, report, res.Stdout, res.Stderr)
			}
		})
	}
	o, report := h.act(h.runner("namespaces"), attackVariable+`=memfds "$SELF"`)
	if res := o.Last(); report != "" || len(res.Stdout) > 0 || res.Exit != 0 {
		t.Errorf("ordinary use of memfds: %s\nstdout %s\nstderr %s", report, res.Stdout, res.Stderr)
	}
}

// TestHostileForOrdinaryUser repeats the hostile tests as a user other than root; by default without
// those of memory and of accesses, which differ least.
func TestHostileForOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		return // an ordinary user runs everything already
	}
	dir, err := os.MkdirTemp("/tmp", "hookwatch-hostile-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	const nobody = 65534
	public := newPublicDir(t)
	for _, d := range []string{public, dir, filepath.Join(dir, "home"), filepath.Join(dir, "tmp")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(d, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// A child makes the copy, because a descriptor of ours would be inherited by children of other
	// tests.
	program := filepath.Join(dir, "attacker")
	if out, err := exec.CommandContext(t.Context(), "cp", self, program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// What these cases of TestAccesses use is no other for another user.
	const alike = "^TestAccesses$/^(missing|glob|computed|chdir|link|python|node|by_proc|long|too_long|signals|many|renamed|renamed_its_own|interpreter|directory|shortened_and_read)_"
	repeated := []string{"TestHostileInNamespaces", "TestHostileToTheKernel", "TestFirstProcess", "TestLimitsInPlace", "TestOrdinaryPrograms"}
	if processtest.Exhaustive() {
		repeated = append(repeated, "TestMemoryKinds", "TestAccesses")
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.v", "-test.skip", alike, "-test.run", "^("+strings.Join(repeated, "|")+")$")
	cmd.Dir = filepath.Join(dir, "tmp")
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + filepath.Join(dir, "home"), "TMPDIR=" + cmd.Dir, publicVariable + "=" + public, "GORACE=atexit_sleep_ms=0", processtest.All + "=" + os.Getenv(processtest.All)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Count(out, []byte("--- PASS")) < len(repeated) || bytes.Contains(out, []byte("--- SKIP")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// inCgroup puts the process outside into a new cgroup, if possible.
func (h *hostile) inCgroup() {
	for _, at := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		dir := filepath.Join(at, h.mark)
		if _, err := os.Stat(filepath.Join(at, "cgroup.procs")); err != nil || os.Mkdir(dir, 0o755) != nil {
			continue
		}
		h.t.Cleanup(func() {
			_ = h.victim.Process.Kill()
			_ = h.victim.Wait()
			_ = unix.Rmdir(dir)
		})
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(h.victim.Process.Pid)), 0); err != nil {
			h.t.Fatal(err)
		}
		return
	}
}

// withKey creates a key of the user.
func (h *hostile) withKey() {
	h.t.Helper()
	const userKeyring, unlink = -4, 9
	keyring := userKeyring
	kind, _ := unix.BytePtrFromString("user")
	name, _ := unix.BytePtrFromString(h.mark)
	content := []byte(secret)
	id, _, errno := syscall.Syscall6(unix.SYS_ADD_KEY, uintptr(unsafe.Pointer(kind)), uintptr(unsafe.Pointer(name)),
		uintptr(unsafe.Pointer(&content[0])), uintptr(len(content)), uintptr(keyring), 0)
	if errno != 0 {
		return // this kernel has no keys
	}
	h.t.Cleanup(func() { _, _, _ = syscall.Syscall(unix.SYS_KEYCTL, unlink, id, uintptr(keyring)) })
}
