package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

const nobody = 65534

// TestOrdinaryUser runs the starter project as a user other than root, with the same isolation and
// the same verdicts.
func TestOrdinaryUser(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	out, err := p.run(p.program("--once", "--suite", "guard"), os.Getuid() == 0)
	if err != nil || !strings.Contains(out, "isolation: namespaces") || !strings.Contains(out, "FAIL 0") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestBounds sees that doctor lists every bound of a case and its kind.
func TestBounds(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	out, err := p.run(p.program("doctor"), os.Getuid() == 0)
	for _, want := range []string{
		`(?m)^  /sys +processors, memory nodes and page sizes only$`, `(?m)^  disk +256 MB$`, `(?m)^  file +256 MB$`,
		`(?m)^  memory +[0-9]+ MB a case \((cgroup|watched by its supervisor)\)$`, `(?m)^  namespaces +none$`,
		`(?m)^  open files +8192 a process$`, `(?m)^  processes +1000$`, `(?m)^  system calls +those .*\(seccomp\)$`,
	} {
		if err != nil || !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%v: %s is not in\n%s", err, want, out)
		}
	}
}

// TestNoNamespaces runs where the system refuses namespaces, as in a container
// without the right to them: nothing runs unless a copy is asked for.
func TestNoNamespaces(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	refusing := func(args string) *exec.Cmd {
		cmd := p.program()
		cmd.Path, cmd.Args = "/bin/bash", []string{"bash", "-c",
			"echo 0 >/proc/sys/user/max_user_namespaces && exec \"" + p.self + "\" " + args}
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
		return cmd
	}
	out, err := p.run(refusing("--once --suite guard --filter 'G0*'"), false)
	for _, want := range []string{"the system allows no user namespaces", "sysctl user.max_user_namespaces", "--isolation copy"} {
		if err == nil || !strings.Contains(out, want) {
			t.Errorf("%v: %q is not in\n%s", err, want, out)
		}
	}
	out, err = p.run(refusing("--once --suite guard --filter 'G0*' --isolation copy"), false)
	for _, want := range []string{"isolation: copy", "the network are open to them", "FAIL 0"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%v: %q is not in\n%s", err, want, out)
		}
	}
	out, err = p.run(refusing("doctor"), false)
	if err != nil || !strings.Contains(out, "better with: sudo sysctl user.max_user_namespaces") {
		t.Errorf("doctor: %v\n%s", err, out)
	}
	copying := refusing("doctor")
	copying.Env = append(copying.Env, "HOOKWATCH_ISOLATION=copy")
	if out, err = p.run(copying, false); err != nil {
		t.Errorf("doctor: %v\n%s", err, out)
	}
	for _, want := range []string{"what a case gets at most:", "memory", "open files"} {
		if !strings.Contains(out, want) {
			t.Errorf("doctor: %q is not in\n%s", want, out)
		}
	}
	out, err = p.run(refusing("--once --isolation namespaces"), false)
	if err == nil || !strings.Contains(out, "cannot be isolated here: the system allows no user namespaces") {
		t.Errorf("namespaces asked for by name: %v\n%s", err, out)
	}
}

// A place is a directory that everybody may read, with the program, a starter
// project and a HOME in it.
type place struct {
	t         *testing.T
	dir, self string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "hookwatch-place-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &place{t, dir, filepath.Join(dir, "hookwatch")}
	for _, d := range []string{"home", "project", "state"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p.install()
	if out, err := p.run(p.program("init", "--starter"), false); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return p
}

// install copies the program to where everybody can start it. A child does so:
// a descriptor of ours, open for writing, would get into processes that other
// tests start meanwhile, and the program could not be run.
func (p *place) install() {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	if released := os.Getenv(releasedVariable); released != "" {
		self = released
	}
	if out, err := exec.CommandContext(p.t.Context(), "cp", self, p.self).CombinedOutput(); err != nil {
		p.t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Chmod(p.self, 0o755); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) program(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.t.Context(), p.self, args...)
	cmd.Dir = filepath.Join(p.dir, "project")
	cmd.Env = []string{
		asProgram + "=1", "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + filepath.Join(p.dir, "home"), "CI=true",
		"XDG_STATE_HOME=" + filepath.Join(p.dir, "state"), raceOptions, "HOOKWATCH_PASS_ENV=GORACE",
	}
	return cmd
}

// run starts the program. With asNobody it runs as the user nobody, who becomes the owner of the
// place.
func (p *place) run(cmd *exec.Cmd, asNobody bool) (string, error) {
	p.t.Helper()
	if asNobody {
		err := filepath.WalkDir(p.dir, func(path string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, nobody, nobody)
		})
		if err != nil {
			p.t.Fatal(err)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}
