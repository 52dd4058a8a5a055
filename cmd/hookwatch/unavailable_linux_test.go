package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// deniesNamespaces is the variable that makes the program refuse itself and its
// children namespaces, as the seccomp filter of a container does.
const deniesNamespaces = "HOOKWATCH_TEST_DENY_NAMESPACES"

func init() {
	if os.Getenv(asProgram) != "" && os.Getenv(deniesNamespaces) != "" {
		denyNamespaces()
	}
}

// denyNamespaces installs a seccomp filter for all threads: clone, clone3 and unshare
// fail where they ask for a user namespace.
func denyNamespaces() {
	const (
		number, argument       = 0, 16 // offsets in struct seccomp_data
		load, equal, set, done = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, unix.BPF_RET | unix.BPF_K
		allow, refuse          = 0x7fff0000, 0x00050000
		setModeFilter, allOf   = 1, 1
	)
	program := []unix.SockFilter{
		{Code: load, K: number},
		{Code: equal, Jt: 4, K: unix.SYS_CLONE3},
		{Code: equal, Jt: 1, K: unix.SYS_CLONE},
		{Code: equal, Jf: 3, K: unix.SYS_UNSHARE},
		{Code: load, K: argument},
		{Code: set, Jf: 1, Jt: 2, K: unix.CLONE_NEWUSER},
		{Code: done, K: refuse | uint32(unix.ENOSYS)},
		{Code: done, K: allow},
		{Code: done, K: refuse | uint32(unix.EPERM)},
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, allOf, uintptr(unsafe.Pointer(&filter))); errno != 0 {
		panic(errno)
	}
}

// firing are commands that run hooks, and looking those that run none.
var (
	firing = [][]string{
		{}, {"--once"}, {"--once", "--format", "json"}, {"--once", "--isolation", "auto"}, {"--once", "--isolation", "namespaces"},
		{"run", "C1"}, {"check"}, {"check", "--format", "json"}, {"fire", "PreToolUse", "Bash", "--command", "ls"},
		{"fire", "PreToolUse", "Bash", "--live"}, {"check", "--live"}, {"run", "--live", "C1"}, {"contract", "--cell", "PreToolUse/*"},
		{"coverage"},
	}
	looking = [][]string{
		{"check", "--static"}, {"list"}, {"list", "--hooks"}, {"show", "C1"}, {"why"}, {"why", "C1"}, {"verify"}, {"list", "--suites"},
		{"explain", "exit-2"}, {"trust", "--list"}, {"schema", "config"}, {"help", "isolation"}, {"doctor"}, {"doctor", "--format", "json"},
	}
)

// canaryProject is a project whose hook leaves a file outside of it, in HOME and over
// the network if it can, and whose settings ask the client to run programs.
func canaryProject(t *testing.T, p *place) (canaries string) {
	t.Helper()
	canaries = filepath.Join(p.dir, "canaries")
	if err := os.Mkdir(canaries, 0o777); err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(p.dir, "project")
	if err := os.RemoveAll(project); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, project, map[string]string{
		".claude/hooks/h.sh":     "#!/bin/bash\ncat >/dev/null\ntouch " + canaries + "/$$ ~/canary\nexit 0\n",
		".claude/settings.json":  `{"apiKeyHelper": "touch ` + canaries + `/helper", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "bash .claude/hooks/h.sh"}]}]}}`,
		".hookwatch.yaml":        "suites: [suite.yaml]\nrun: {isolation: copy}\n", // to which the user has not agreed
		"suite.yaml":             "suite: c\nagent: c\nhook: .claude/hooks/h.sh\nevent: PreToolUse\ntool: Bash\ncases:\n  - {id: C1, name: runs, category: smoke, expect: {exit: 0}}\n",
		"../home/.keep/nothing":  "",
		"../state/.keep/nothing": "",
	})
	return canaries
}

// escaped returns files that a hook left outside of a sandbox.
func escaped(t *testing.T, p *place, canaries string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(canaries)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if _, err := os.Lstat(filepath.Join(p.dir, "home", "canary")); err == nil {
		names = append(names, "~/canary")
	}
	return names
}

// exitCode is how a command ended.
func exitCode(cmd *exec.Cmd) int { return cmd.ProcessState.ExitCode() }

// TestAutoNeverWeakensItself runs every command where namespaces are refused: none
// runs a hook outside of a sandbox, those that would have say why they do not and what
// to do, and all others work.
func TestAutoNeverWeakensItself(t *testing.T) {
	t.Parallel()
	noneLeft := func(cmd *exec.Cmd) {
		cmd.Args = append([]string{"bash", "-c", `echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"`, "bash"}, cmd.Args...)
		cmd.Path = "/bin/bash"
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
	}
	denied := func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, deniesNamespaces+"=1") }
	for name, way := range map[string]struct {
		refuse   func(*exec.Cmd)
		ordinary bool
		why      string
	}{
		"max_user_namespaces":          {noneLeft, false, "the system allows no user namespaces"},
		"seccomp":                      {denied, false, "operation not permitted"},
		"seccomp for an ordinary user": {denied, true, "operation not permitted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			canaries := canaryProject(t, p)
			run := func(args []string) (out string, code int) {
				cmd := p.program(args...)
				way.refuse(cmd)
				out, _ = p.run(cmd, way.ordinary && os.Getuid() == 0)
				if names := escaped(t, p, canaries); len(names) > 0 {
					t.Fatalf("%v ran a hook outside, which left %v", args, names)
				}
				return out, exitCode(cmd)
			}
			for _, args := range firing {
				out, code := run(args)
				if code != 2 || !strings.Contains(out, way.why) || !strings.Contains(out, "--isolation copy") || !strings.Contains(out, "hookwatch trust") {
					t.Errorf("%v: exit %d, want 2 with the reason %q and what to do\n%s", args, code, way.why, out)
				}
			}
			for _, args := range looking {
				if out, code := run(args); code != 0 {
					t.Errorf("%v: exit %d, want 0\n%s", args, code, out)
				}
			}
			if out, _ := run([]string{"doctor"}); !strings.Contains(out, "isolation: unavailable") || !strings.Contains(out, way.why) {
				t.Errorf("doctor does not report the state\n%s", out)
			}
		})
	}
}

// TestTooFewDescriptors runs every command with too few descriptors for a sandbox:
// no hook runs outside, none is blamed, and the limit is named.
func TestTooFewDescriptors(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	canaries := canaryProject(t, p)
	run := func(limit int, args []string) (out string, code int) {
		cmd := p.program(args...)
		cmd.Args = append([]string{"bash", "-c", fmt.Sprintf(`ulimit -n %d && exec "$@"`, limit), "bash"}, cmd.Args...)
		cmd.Path = "/bin/bash"
		out, _ = p.run(cmd, false)
		if names := escaped(t, p, canaries); len(names) > 0 {
			t.Fatalf("%v ran a hook outside, which left %v", args, names)
		}
		return out, exitCode(cmd)
	}
	refused := func(limit int, args []string) {
		out, code := run(limit, args)
		if code != 3 || !strings.Contains(out, fmt.Sprintf("may have %d open (ulimit -n)", limit)) || !strings.Contains(out, "ulimit -n 4096") || strings.Contains(out, "FAIL") {
			t.Errorf("%v with %d descriptors: exit %d, want 3 with the limit and how to raise it\n%s", args, limit, code, out)
		}
	}
	for limit := 16; limit <= 64; limit += 4 {
		refused(limit, []string{"check"})
	}
	refused(255, []string{"check"})
	for _, args := range firing {
		refused(24, args)
	}
	for _, args := range looking {
		if out, code := run(24, args); code != 0 {
			t.Errorf("%v: exit %d, want 0\n%s", args, code, out)
		}
	}
	if out, code := run(256, []string{"check"}); code != 0 || !strings.Contains(out, "isolation: namespaces") {
		t.Errorf("256 descriptors: exit %d\n%s", code, out)
	}
}

// TestLiveOutside: the real client is not started in a project outside of namespaces,
// even where a copy was asked for: it would run what the project's settings name.
func TestLiveOutside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	canaries := canaryProject(t, p)
	bin := filepath.Join(p.dir, "bin")
	writeFiles(t, bin, map[string]string{"claude": "#!/bin/bash\ntouch " + canaries + "/client\n"})
	if err := os.Chmod(filepath.Join(bin, "claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"copy", "none"} {
		for _, args := range [][]string{
			{"check", "--live"}, {"fire", "PreToolUse", "Bash", "--live"}, {"run", "--live", "C1"}, {"--once", "--live"},
		} {
			cmd := p.program(append(args, "--isolation", mode)...)
			cmd.Env = append(cmd.Env, "PATH="+bin+":/usr/local/bin:/usr/bin:/bin")
			out, _ := p.run(cmd, false)
			if exitCode(cmd) != 2 || !strings.Contains(out, "namespaces only, and run.isolation is "+mode) || !strings.Contains(out, "apiKeyHelper") {
				t.Errorf("%v: exit %d\n%s", args, exitCode(cmd), out)
			}
			if names := escaped(t, p, canaries); len(names) > 0 {
				t.Fatalf("%v left %v", args, names)
			}
		}
	}
}

// TestIsolationIsNamed: what runs hooks names the isolation that held, and why it is
// not namespaces.
func TestIsolationIsNamed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	canaryProject(t, p)
	for _, args := range [][]string{
		{"check"}, {"fire", "PreToolUse", "Bash"}, {"--once"}, {"coverage"},
	} {
		for mode, why := range map[string]string{"namespaces": "", "copy": "requested by run.isolation: copy"} {
			for _, format := range []string{"json", "jsonl"} {
				if args[0] == "check" && format == "jsonl" {
					continue // a line a finding, and there is none
				}
				out, err := p.run(p.program(append(args, "--isolation", mode, "--format", format)...), false)
				compact := strings.ReplaceAll(out, `": "`, `":"`)
				if err != nil || !strings.Contains(compact, `"isolation":"`+mode+`"`) || strings.Contains(compact, `"isolation_why":"`+why+`"`) != (why != "") {
					t.Errorf("%v, %s, %s: %v\n%s", args, mode, format, err, out)
				}
			}
			if args[0] == "coverage" {
				continue
			}
			out, err := p.run(p.program(append(args, "--isolation", mode)...), false)
			if err != nil || !strings.Contains(out, "isolation: "+mode) || strings.Contains(out, "the network") != (mode == "copy") {
				t.Errorf("%v, %s: %v\n%s", args, mode, err, out)
			}
		}
	}
}
