package process_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"hookwatch/suites/process"
	"hookwatch/suites/process/testdata/processtest"
)

func TestMain(m *testing.M) { processtest.VerifyTestMain(m, nil) }

func env(extra ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH")}, extra...)
}

// TestFinishing checks that a child that still writes when its command has ended may
// finish. A busy machine can delay it beyond its grace period, so one of several runs is
// enough.
func TestFinishing(t *testing.T) {
	t.Parallel()
	var r process.Result
	for range 5 {
		r = bash(t, process.Command{}, "exec > >(sleep 0.02; cat); echo late")
		if string(r.Stdout.Bytes) == "late\n" && len(r.LeftBehind) == 0 {
			return
		}
	}
	t.Errorf("got %+v", r)
}

func bash(t *testing.T, c process.Command, script string) process.Result {
	t.Helper()
	c.Argv = []string{"bash", "-c", script}
	if c.Env == nil {
		c.Env = env()
	}
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	r, err := process.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSockets checks that the streams are sockets if they are asked for, which no path opens.
func TestSockets(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("sockets are for Linux")
	}
	const script = `for f in stdin stdout stderr; do [ -S /dev/$f ] && echo $f; done; (: < /dev/stdin) 2>/dev/null || echo closed; wc -c`
	for _, n := range []int{5, 5 << 20} {
		r, err := process.Run(t.Context(), process.Command{Argv: []string{"/bin/sh", "-c", script}, Env: os.Environ(), Stdin: bytes.Repeat([]byte("x"), n), Sockets: true})
		if want := fmt.Sprintf("stdin\nstdout\nstderr\nclosed\n%d\n", n); err != nil || string(r.Stdout.Bytes) != want || r.StdinUnread {
			t.Errorf("%q, %v, unread %t, want %q", r.Stdout.Bytes, err, r.StdinUnread, want)
		}
		r, err = process.Run(t.Context(), process.Command{Argv: []string{"/bin/sh", "-c", "yes | head -c 300000"}, Env: os.Environ(), Stdin: bytes.Repeat([]byte("x"), n), Sockets: true})
		if err != nil || r.Stdout.Total != 300000 || !r.StdinUnread || r.Exit != 0 {
			t.Errorf("%d bytes, %v, unread %t, exit %d", r.Stdout.Total, err, r.StdinUnread, r.Exit)
		}
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script, stdin string
		check               func(process.Result) bool
	}{
		{"exit code", "exit 7", "", func(r process.Result) bool { return r.Exit == 7 && r.Signal == "" }},
		{"streams apart", "echo out; echo err >&2", "", func(r process.Result) bool {
			return string(r.Stdout.Bytes) == "out\n" && string(r.Stderr.Bytes) == "err\n"
		}},
		{"stdin", "cat", "hello", func(r process.Result) bool { return string(r.Stdout.Bytes) == "hello" && !r.StdinUnread }},
		{"stdin that is not read", "true", "hello", func(r process.Result) bool { return r.StdinUnread == (runtime.GOOS == "linux") }},
		{"stdin of which a part is read", "dd bs=1 count=2 2>/dev/null", "hello", func(r process.Result) bool { return string(r.Stdout.Bytes) == "he" && !r.StdinUnread }},
		{"large stdin", "wc -c", strings.Repeat("x", 5<<20), func(r process.Result) bool {
			return strings.TrimSpace(string(r.Stdout.Bytes)) == "5242880"
		}},
		{"stdin closed at once", "exec 0<&-; echo done", strings.Repeat("x", 1<<20), func(r process.Result) bool {
			return r.Exit == 0 && r.StdinUnread && string(r.Stdout.Bytes) == "done\n"
		}},
		{"signal", "kill -TERM $$", "", func(r process.Result) bool { return r.Exit == -1 && r.Signal == "SIGTERM" }},
		{"kill 0 reaches only its own group", "trap '' TERM; kill 0; exit 3", "", func(r process.Result) bool { return r.Exit == 3 }},
		{"binary output", `printf '\377\000\001'`, "", func(r process.Result) bool {
			return bytes.Equal(r.Stdout.Bytes, []byte{255, 0, 1})
		}},
		{"nothing of our environment", `echo "${HOME-unset}${HOOKWATCH_SUPERVISOR-unset}"`, "", func(r process.Result) bool {
			return string(r.Stdout.Bytes) == "unsetunset\n"
		}},
		{"no descriptor leaks", "ls /proc/self/fd | tr '\\n' ' '", "", func(r process.Result) bool {
			return string(r.Stdout.Bytes) == "0 1 2 3 " // 3 is ls reading the directory
		}},
		{"blocking output", "head -c 3000000 /dev/zero", "", func(r process.Result) bool {
			return r.Stdout.Total == 3000000 && len(r.Stdout.Bytes) == process.DefaultLimit && r.Exit == 0
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := bash(t, process.Command{Stdin: []byte(tt.stdin)}, tt.script)
			if !tt.check(r) {
				t.Errorf("got %+v\nstdout %.200q\nstderr %.200q", r, r.Stdout.Bytes, r.Stderr.Bytes)
			}
		})
	}
}

func TestParentOfItsOwn(t *testing.T) {
	t.Parallel()
	a := bash(t, process.Command{}, "echo $PPID")
	b := bash(t, process.Command{}, "echo $PPID")
	if bytes.Equal(a.Stdout.Bytes, b.Stdout.Bytes) {
		t.Errorf("two runs share the parent %s", a.Stdout.Bytes)
	}
}

func TestNotStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return p
	}
	tests := []struct{ name, program, want string }{
		{"absent", "no-such-program-here", "not found in PATH"},
		{"absent path", filepath.Join(dir, "gone.sh"), "no such file"},
		{"no execute bit", write("plain.sh", "#!/bin/sh\n", 0o644), "permission denied"},
		{"directory", dir, "is a directory"},
		{"bad interpreter", write("crlf.sh", "#!/bin/sh\r\nexit 0\r\n", 0o755), "no such file"},
		{"no program at all", write("empty", "\x00\x01", 0o755), "exec format error"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := process.Run(context.Background(), process.Command{Argv: []string{tt.program}, Dir: dir, Env: env()})
			if err != nil {
				t.Fatal(err)
			}
			if r.StartError == nil || !strings.Contains(r.StartError.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", r.StartError, tt.want)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := process.Run(ctx, process.Command{Argv: []string{"sleep", "60"}, Dir: t.TempDir(), Env: env()})
	if err != nil {
		t.Fatal(err)
	}
	if r.TimedOut || r.Duration > 30*time.Second {
		t.Errorf("got %+v, want it canceled", r)
	}
}

func TestLookPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := process.LookPath("tool", "/", []string{"PATH=/nowhere:" + dir})
	if err != nil || got != filepath.Join(dir, "tool") {
		t.Errorf("LookPath = %q, %v", got, err)
	}
	if got, err := process.LookPath("./tool", dir, nil); err != nil || got != filepath.Join(dir, "tool") {
		t.Errorf("relative: %q, %v", got, err)
	}
}
