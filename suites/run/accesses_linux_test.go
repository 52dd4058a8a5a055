package run_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"hookwatch/suites"
	"hookwatch/suites/process"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// observedRunner returns a runner in an isolation mode, and its HOME.
func (p *project) observedRunner(mode string) (r *run.Runner, home string) {
	p.t.Helper()
	home = p.t.TempDir()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	choice, err := sandbox.Choose(mode, sandbox.Options{Root: p.root, Home: home, Shown: []string{self}, Size: 64 << 20, Processes: 200}, p.temp)
	if err != nil {
		p.t.Skipf("%s: %v", mode, err)
	}
	r = run.New(run.Options{
		Root: p.root, Temp: p.temp, Timeout: time.Minute, Isolation: choice,
		Env: process.With(run.Environment(os.Environ(), nil), map[string]string{"HOME": home}),
	})
	p.t.Cleanup(r.Close)
	return r, home
}

// TestAccesses checks that a traced run records the paths that hooks use.
func TestAccesses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		needs string                       // the program that the hook needs
		hook  string                       // after "#!/usr/bin/env bash\n", unless it has a first line of its own
		want  map[string]suites.AccessKind // by path from the project's root, ~ for HOME; 0: no input
		out   string                       // its output
		lacks string                       // why the record is not complete
	}{
		"open":           {hook: "cat rules.json", want: uses{"rules.json": suites.Read, "hooks/hook": suites.Read}, out: "{}\n"},
		"missing":        {hook: "stat no.txt 2>/dev/null; [ -f other.txt ] || echo none", want: uses{"no.txt": suites.Looked, "other.txt": suites.Looked}, out: "none\n"},
		"glob":           {hook: "cd d; echo *", want: uses{"d": suites.Listed}, out: "one two\n"},
		"computed":       {hook: "n=li; . \"$(dirname \"$0\")/../d/${n}b.sh\" 2>/dev/null; . ./d/o${n:0:0}ne; echo $one", want: uses{"d/lib.sh": suites.Read, "d/one": suites.Read}, out: "1\n"},
		"chdir":          {hook: "cd d/../d && cat one", want: uses{"d/one": suites.Read, "d": suites.Looked}, out: "one=1\n"},
		"link":           {hook: "cat link", want: uses{"link": suites.Read, "d/one": suites.Read}, out: "one=1\n"},
		"own link":       {hook: "ln -s \"$CLAUDE_PROJECT_DIR/d\" \"$TMPDIR/x\"; cat \"$TMPDIR/x/one\"; [ -e \"$TMPDIR/x/gone\" ]; rm \"$TMPDIR/x\"; ln -s \"$CLAUDE_PROJECT_DIR\" \"$TMPDIR/x\"; cat \"$TMPDIR/x/one\" 2>/dev/null; true", want: uses{"d/one": suites.Read, "d/gone": suites.Looked, "one": suites.Read}, out: "one=1\n"},
		"tool":           {hook: "tools/t", want: uses{"tools/t": suites.Ran, "/bin/sh": suites.Ran}, out: "tool\n"},
		"written":        {hook: "echo a >new; cat new; echo b >>log; echo c >rules.json; cat rules.json", want: uses{"new": 0, "log": 0, "rules.json": suites.Read}, out: "a\nc\n"},
		"made":           {hook: "mkdir -p d made; cat d/one; echo >made/x; ls made", want: uses{"d": suites.Looked, "made": suites.Looked, "made/x": 0}, out: "one=1\nx\n"},
		"home":           {hook: "cat ~/.config/x 2>/dev/null; true", want: uses{"~/.config/x": suites.Read}},
		"no environment": {hook: "exec env -i /bin/cat d/one", want: uses{"d/one": suites.Read, "/bin/cat": suites.Ran}, out: "one=1\n"},
		"python": {needs: "python3", hook: "#!/usr/bin/env python3\nimport os, threading\nHERE = os.path.dirname(os.path.abspath(__file__))\nprint(open(os.path.join(HERE, '..', 'rules.json')).read(), end='')\n" +
			"def f():\n  os.path.exists('threaded')\nt = threading.Thread(target=f)\nt.start()\nt.join()\nif os.fork() == 0:\n  os.chdir('d')\n  os.path.exists('forked')\n  os._exit(0)\nos.wait()\nprint(sorted(os.listdir('d')))\n",
			want: uses{"rules.json": suites.Read, "threaded": suites.Looked, "d/forked": suites.Looked, "d": suites.Listed}, out: "{}\n['one', 'two']\n"},
		"node": {needs: "node", hook: "#!/usr/bin/env node\nconst v = ['..', 'm', 'index.js'].join('/');\nconsole.log(require(v));\n", want: uses{"m/index.js": suites.Read}, out: "7\n"},
		"fault": {needs: "python3", hook: "#!/usr/bin/env python3\nimport ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nprint(libc.open(ctypes.c_void_p(8), 0), ctypes.get_errno())\n" +
			// A path that ends with its page; the next one cannot be read.
			"libc.mmap.restype = ctypes.c_void_p\nsize = ctypes.pythonapi.getpagesize()\nm = libc.mmap(None, ctypes.c_size_t(2 * size), 3, 0x22, -1, ctypes.c_size_t(0))\nlibc.mprotect(ctypes.c_void_p(m + size), ctypes.c_size_t(size), 0)\n" +
			"p = b'd/one\\0'\nat = m + size - len(p)\nctypes.memmove(at, p, len(p))\nprint(libc.open(ctypes.c_void_p(at), 0) > 0)\n", want: uses{"d/one": suites.Read}, out: "-1 14\nTrue\n"},
		"by proc":                {hook: "cat /proc/self/cwd/d/one", out: "one=1\n", lacks: "a process used a path through /proc"},
		"long":                   {hook: "p=.; for i in {1..1000}; do p=$p/.; done; cat $p/d/one", want: uses{"d/one": suites.Read}, out: "one=1\n"},
		"a program without libc": {hook: attackVariable + "=reads exec \"$SELF\"", want: uses{"d/one": suites.Read, "d": suites.Listed, "gone": suites.Looked, "rules.json": suites.Read, "SELF": suites.Ran}, out: "one=1\n2\n"},
		"its own filter":         {hook: attackVariable + "=filters exec \"$SELF\"", want: uses{"d/one": suites.Read}, out: "operation not permitted\none=1\n"},
		"killed": {hook: "for i in {1..20}; do (while :; do [ -e x$((RANDOM % 100)) ]; done) & sleep 0.01; kill -9 $!; wait $! 2>/dev/null; done; cat d/one",
			want: uses{"d/one": suites.Read}, out: "one=1\n"},
		"signals":         {hook: "trap 'n=$((n+1))' USR1; (for i in {1..50}; do kill -USR1 $$; done; sleep 0.1; kill -TERM $$) & trap 'cat d/one; exit 0' TERM; while :; do [ -e rules.json ]; done", want: uses{"d/one": suites.Read}, out: "one=1\n"},
		"left behind":     {hook: "sleep 1000 >/dev/null 2>&1 </dev/null & cat d/one", want: uses{"d/one": suites.Read}, out: "one=1\n", lacks: "a process outlived the hook"},
		"many":            {hook: "for i in {1..10100}; do [ -e no/$i ]; done; true", lacks: "the processes used more than 10000 paths"},
		"renamed":         {hook: "mv d e; cat e/one", out: "one=1\n", lacks: "a process renamed a directory"},
		"renamed its own": {hook: "mkdir o; echo x >o/f; mv o q; cat q/f; mv rules.json r; cat r", want: uses{"rules.json": suites.Read, "q": suites.Looked}, out: "x\n{}\n"},
		"interpreter":     {hook: "./tools/i", want: uses{"tools/i": suites.Ran, "tools/t": suites.Read, "/bin/sh": suites.Ran}, out: "tool\n"},
		"directory":       {needs: "python3", hook: "#!/usr/bin/env python3\nimport os\nf = os.open('d', os.O_RDONLY)\nprint(sorted(os.listdir(f)))\nos.open('one', os.O_RDONLY, dir_fd=f)\n", want: uses{"d": suites.Listed, "d/one": suites.Read}, out: "['one', 'two']\n"},
		"changed": {needs: "python3", hook: "#!/usr/bin/env python3\nimport os\ndef attempt(f, *args):\n  try:\n    f(*args)\n  except OSError as e:\n    print(type(e).__name__)\n" +
			"attempt(os.truncate, 'log', 3)\nattempt(os.truncate, 'short', 0)\nattempt(os.setxattr, 'labelled', 'user.a', b'')\nattempt(os.removexattr, 'unlabelled', 'user.a')\nattempt(os.chmod, 'link', 0o600)\nos.chmod('link', 0o644)\n",
			want: uses{"log": suites.Looked, "short": suites.Looked, "labelled": suites.Looked, "unlabelled": suites.Looked, "link": suites.Looked, "d/one": suites.Looked},
			out:  "FileNotFoundError\nFileNotFoundError\nFileNotFoundError\n"},
		"shortened and read": {needs: "python3", hook: "#!/usr/bin/env python3\nimport os\nos.truncate('log', 3)\nprint(open('log').read())\n", want: uses{"log": suites.Looked | suites.Read}, out: "bef\n"},
		"too long":           {hook: "p=.; for i in {1..3000}; do p=$p/.; done; [ -e $p/d/one ] || echo none", out: "none\n"},
	} {
		for _, mode := range []string{"namespaces", "copy"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				t.Parallel()
				if tt.needs != "" {
					if _, err := exec.LookPath(tt.needs); err != nil {
						t.Skip(err)
					}
				}
				p := newProject(t)
				r, home := p.observedRunner(mode)
				text := tt.hook
				if !strings.HasPrefix(text, "#!") {
					text = "#!/usr/bin/env bash\n" + text + "\n"
				}
				p.write("hooks/hook", text, 0o755)
				p.write("rules.json", "{}\n", 0o644)
				p.write("log", "before\n", 0o644)
				p.write("d/one", "one=1\n", 0o644)
				p.write("d/two", "", 0o644)
				p.write("m/index.js", "module.exports = 7\n", 0o644)
				p.write("tools/i", "#!"+filepath.Join("/bin", "sh")+" tools/t\n", 0o755)
				p.write("tools/t", "#!/bin/sh\necho tool\n", 0o755)
				if err := os.Symlink("d/one", filepath.Join(p.root, "link")); err != nil {
					t.Fatal(err)
				}
				self, err := os.Executable()
				if err != nil {
					t.Fatal(err)
				}
				c := &suites.Case{Suite: "s", ID: "A", Hook: "hooks/hook", Env: map[string]string{"SELF": self}, Steps: []suites.Step{{Event: "Stop"}}}
				plain, err := r.Case(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				o, err := r.TraceCase(t.Context(), c, nil)
				if err != nil {
					t.Fatal(err)
				}
				if plain.Accesses != nil || plain.Unobserved == "" {
					t.Errorf("an ordinary run: %v, %q", plain.Accesses, plain.Unobserved)
				}
				for _, o := range []suites.Outcome{plain, o} {
					if got := string(o.Last().Stdout); got != tt.out || o.Last().Exit != 0 {
						t.Errorf("exit %d, %q, want %q; %s", o.Last().Exit, got, tt.out, o.Last().Stderr)
					}
					_ = r.Remove(o)
				}
				if o.Unobserved != tt.lacks {
					t.Errorf("incomplete: %q, want %q", o.Unobserved, tt.lacks)
				}
				got := map[string]suites.AccessKind{}
				for _, a := range o.Accesses {
					got[a.Path] = a.Kind
					if strings.HasPrefix(a.Path, p.temp) {
						t.Errorf("a path of the case itself: %v", a)
					}
				}
				for path, kind := range tt.want {
					at := path
					if path == "SELF" {
						at = self
					} else if rest, ok := strings.CutPrefix(path, "~"); ok {
						at = home + rest
					} else if path[0] != '/' {
						at = filepath.Join(p.root, path)
					}
					if k := got[at] &^ suites.Wrote; k&kind != kind || kind == 0 && k != 0 {
						t.Errorf("%s: %s, want %s", path, got[at], kind)
					}
				}
				if t.Failed() {
					for _, a := range o.Accesses[:min(len(o.Accesses), 300)] {
						t.Log(a)
					}
				}
			})
		}
	}
}

// TestAccessesByBash checks which files count as read by no program but bash.
func TestAccessesByBash(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"namespaces", "copy"} {
		p := newProject(t)
		r, _ := p.observedRunner(mode)
		p.write("hooks/hook", "#!/usr/bin/env bash\n. ./lib.sh\n. ./both.sh\nread -r x <line\ncat both.sh data >/dev/null\nmv moved gone\n", 0o755)
		for _, name := range []string{"lib.sh", "both.sh", "line", "data", "moved"} {
			p.write(name, "f() { :; }\n", 0o644)
		}
		o, err := r.TraceCase(t.Context(), &suites.Case{Suite: "s", ID: "A", Hook: "hooks/hook", Steps: []suites.Step{{Event: "Stop"}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]suites.AccessKind{}
		for _, a := range o.Accesses {
			got[a.Path] = a.Kind
		}
		for name, other := range map[string]bool{"lib.sh": false, "both.sh": true, "line": false, "data": true, "moved": true} {
			if k := got[filepath.Join(p.root, name)]; k&suites.Read == 0 || k&suites.Data != 0 != other {
				t.Errorf("%s: %s: %s, want one other than bash: %v", mode, name, k, other)
			}
		}
		_ = r.Remove(o)
	}
}

// TestAccessesTooLarge checks that a call that is observed is refused as in an ordinary run.
func TestAccessesTooLarge(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	p := newProject(t)
	r, _ := p.observedRunner("namespaces")
	p.write("hooks/hook", "#!/usr/bin/env python3\nimport os\nos.truncate('log', 1 << 40)\n", 0o755)
	p.write("log", "before\n", 0o644)
	c := &suites.Case{Suite: "s", ID: "A", Hook: "hooks/hook", Steps: []suites.Step{{Event: "Stop"}}}
	plain, err := r.Case(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	traced, err := r.TraceCase(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(traced.Stopped), fmt.Sprint(plain.Stopped); got != want || want == "[]" {
		t.Errorf("stopped %s, want %s", got, want)
	}
	_ = r.Remove(plain)
	_ = r.Remove(traced)
}

// TestAccessesOfPreparation checks that what prepares a case is not recorded, and that a fixture is
// no input.
func TestAccessesOfPreparation(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	r, _ := p.observedRunner("namespaces")
	p.write("hook.sh", "#!/bin/bash\ncat conf.json other.json\n", 0o755)
	p.write("conf.json", "of the project\n", 0o644)
	p.write("other.json", "other\n", 0o644)
	step := suites.Step{Event: "Stop", Fixtures: []suites.Fixture{{Path: "{project}/conf.json", Content: "of the case\n", Age: time.Hour}}}
	c := &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Steps: []suites.Step{step, step}}
	r.Prewarm() // a sandbox that does not record
	o, err := r.TraceCase(t.Context(), c, nil)
	if err != nil || string(o.Last().Stdout) != "of the case\nother\n" || o.Unobserved != "" {
		t.Fatalf("%v, %s, %q", err, o.Last().Stdout, o.Unobserved)
	}
	_ = r.Remove(o)
	got := uses{}
	for _, a := range o.Accesses {
		if got[a.Path] = a.Kind; strings.HasSuffix(a.Path, "/touch") {
			t.Errorf("a program that prepares the case: %v", a)
		}
	}
	if k := got[filepath.Join(p.root, "conf.json")]; k != suites.Wrote {
		t.Errorf("the fixture: %s", k)
	}
	if k := got[filepath.Join(p.root, "other.json")]; k != suites.Read|suites.Data {
		t.Errorf("the project's file: %s", k)
	}
	o, err = p.runner().TraceCase(t.Context(), &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Steps: []suites.Step{{Event: "Stop"}}}, nil)
	if err != nil || o.Unobserved == "" || o.Accesses != nil {
		t.Errorf("in place: %v, %v, %q", err, o.Accesses, o.Unobserved)
	}
	_ = r.Remove(o)
}

type uses = map[string]suites.AccessKind

func init() {
	attacks["reads"] = func() {
		done := make(chan bool)
		go func() {
			runtime.LockOSThread()
			b, _ := os.ReadFile("d/one")
			fmt.Print(string(b))
			done <- true
		}()
		<-done
		d, _ := os.Open("d")
		names, _ := d.Readdirnames(-1)
		fmt.Println(len(names))
		_, _ = os.Stat("gone")
		// A call that Go itself does not use.
		fd, err := unix.Openat2(unix.AT_FDCWD, "rules.json", &unix.OpenHow{Flags: unix.O_RDONLY})
		if err != nil || fd < 0 {
			fmt.Println(err)
		}
	}
	attacks["filters"] = filters
}

// filters installs filters of its own: one with a listener, which the kernel
// refuses if there is one already, and one that
// refuses to create directories.
func filters() {
	runtime.LockOSThread()
	install := func(flags uintptr, program []unix.SockFilter) error {
		prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
		_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
		if errno != 0 {
			return errno
		}
		return nil
	}
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	const allow, refuse = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	if err := install(unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, []unix.SockFilter{{Code: unix.BPF_RET, K: allow}}); err != nil && err != unix.EBUSY {
		fmt.Println(err)
	}
	if err := install(0, []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS},
		{Code: unix.BPF_JMP | unix.BPF_JEQ, K: unix.SYS_MKDIRAT, Jf: 1},
		{Code: unix.BPF_RET, K: refuse},
		{Code: unix.BPF_RET, K: allow},
	}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(unix.Mkdirat(unix.AT_FDCWD, "x", 0o755))
	b, _ := os.ReadFile("d/one")
	fmt.Print(string(b))
}

// TestAccessesOfRevision checks that the files of a revision are inputs of a case that reads them, and that what puts
// them in place is none.
func TestAccessesOfRevision(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"namespaces", "copy"} {
		p := newProject(t)
		r, _ := p.observedRunner(mode)
		p.write("hook", "#!/bin/bash\n. ./lib.sh\n[ -e gone ]; echo $own >>log\n", 0o755)
		p.write("lib.sh", "own=work\n", 0o644)
		p.write("gone", "", 0o644)
		r.Instead = run.Instead{Files: []suites.Fixture{{Path: "lib.sh", Content: "own=revision\n"}, {Path: "other.sh", Content: "x\n"}}, Removed: []string{"gone"}}
		o, err := r.TraceCase(t.Context(), &suites.Case{Suite: "s", ID: "A", Hook: "hook", Steps: []suites.Step{{
			Event: "Stop", Expect: suites.Expectation{Files: []suites.FileExpectation{{Path: "{project}/log"}}},
		}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(o.Last().Files["{project}/log"]); got != "revision\n" {
			t.Errorf("%s: it wrote %q", mode, got)
		}
		got := uses{}
		for _, a := range o.Accesses {
			if name, err := filepath.Rel(p.root, a.Path); err == nil {
				got[name] = a.Kind
			}
		}
		for name, kind := range (uses{"lib.sh": suites.Read, "gone": suites.Looked, "other.sh": 0, "log": suites.Wrote}) {
			if got[name]&kind != kind || kind == 0 && got[name] != 0 {
				t.Errorf("%s: %s: %s, want %s", mode, name, got[name], kind)
			}
		}
	}
}
