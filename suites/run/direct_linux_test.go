package run_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hookwatch/suites"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

func init() {
	attacks["starved"] = starved
	attacks["placing"] = placing
	attacks["binding"] = func() {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: "p"})
		if err == nil {
			l.SetUnlinkOnClose(false)
		}
	}
}

// inTime fails the test if f hangs.
func inTime(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(5 * time.Minute):
		t.Fatal("it hangs")
	}
}

// withoutNamespaces runs cases in the modes without namespaces.
func withoutNamespaces(t *testing.T, test func(t *testing.T, p *project, r *run.Runner)) {
	t.Helper()
	for _, mode := range []string{"copy", "none"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.write("hook.sh", "#!/bin/bash\neval \"$ACT\"\n", 0o755)
			test(t, p, run.New(run.Options{
				Root: p.root, Temp: p.temp, Timeout: time.Minute, Isolation: direct(mode, p.root), Env: run.Environment(os.Environ(), nil),
			}))
		})
	}
}

// TestFixturesInTheWay checks that a file left by a step at the path of a later fixture is
// replaced, never opened.
func TestFixturesInTheWay(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]string{
		"a pipe":                   `mkfifo "$TMPDIR/p"`,
		"a link outside":           `ln -s "$OUTSIDE/file" "$TMPDIR/p"`,
		"a dangling link":          `ln -s "$OUTSIDE/new" "$TMPDIR/p"`,
		"a hard link":              `ln "$OUTSIDE/file" "$TMPDIR/p"`,
		"a link to a device":       `ln -s /dev/full "$TMPDIR/p"`,
		"a socket":                 attackVariable + `=binding; export ` + attackVariable + `; cd "$TMPDIR" && "$SELF"`,
		"a link for its directory": `rm -r "$TMPDIR"; ln -s "$OUTSIDE" "$TMPDIR"`,
		"a link for the sandbox":   `d=$(dirname "$TMPDIR"); mv "$d" "$d.moved"; ln -s "$OUTSIDE" "$d"; mkdir -p "$OUTSIDE/../tmp"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withoutNamespaces(t, func(t *testing.T, p *project, r *run.Runner) {
				self, err := os.Executable()
				if err != nil {
					t.Fatal(err)
				}
				outside := filepath.Join(t.TempDir(), "outside")
				write(t, filepath.Join(outside, "file"), "precious\n")
				step := suites.Step{Event: "Stop"}
				second := step
				second.Fixtures = []suites.Fixture{{Path: "p", Content: "fixture\n"}}
				second.Env = map[string]string{"ACT": `cat "$TMPDIR/p"`}
				c := &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Steps: []suites.Step{step, second}, Env: map[string]string{"ACT": act, "OUTSIDE": outside, "SELF": self}}
				inTime(t, func() {
					o, err := r.Case(t.Context(), c)
					if err == nil && string(o.Last().Stdout) != "fixture\n" && !strings.HasSuffix(name, "sandbox") {
						t.Errorf("the second step saw %q, %s", o.Last().Stdout, o.Last().Stderr)
					}
					if dir := strings.HasSuffix(name, "directory"); (err != nil) != dir {
						t.Errorf("error %v", err)
					}
					_ = r.Remove(o)
				})
				if b, err := os.ReadFile(filepath.Join(outside, "file")); err != nil || string(b) != "precious\n" {
					t.Errorf("the file outside holds %q, %v", b, err)
				}
				if entries, _ := os.ReadDir(outside); len(entries) != 1 {
					t.Errorf("outside holds %v", entries)
				}
			})
		})
	}
}

// TestExpectedFilesInTheWay checks that a file left by a hook at an expected path is read only if
// it is a regular file of the case.
func TestExpectedFilesInTheWay(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]string{
		"a pipe":         `mkfifo "$TMPDIR/p" "$CLAUDE_PROJECT_DIR/p"`,
		"a link outside": `ln -s "$OUTSIDE/file" "$TMPDIR/p"; ln -s "$OUTSIDE/file" "$CLAUDE_PROJECT_DIR/p"`,
		"a device":       `ln -s /dev/zero "$TMPDIR/p"; ln -s /dev/zero "$CLAUDE_PROJECT_DIR/p"`,
		"a large file":   `truncate -s 1T "$TMPDIR/p" "$CLAUDE_PROJECT_DIR/p"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withoutNamespaces(t, func(t *testing.T, p *project, r *run.Runner) {
				outside := t.TempDir()
				write(t, filepath.Join(outside, "file"), secret)
				c := bashCase(suites.Expectation{Files: []suites.FileExpectation{{Path: "p"}, {Path: "{project}/p"}, {Path: filepath.Join(outside, "file")}}})
				c.Suite, c.ID, c.Hook, c.Env = "s", "A", "hook.sh", map[string]string{"ACT": act, "OUTSIDE": outside}
				inTime(t, func() {
					o, err := r.Case(t.Context(), c)
					if err != nil {
						t.Error(err)
						return
					}
					files := o.Last().Files
					if string(files[filepath.Join(outside, "file")]) != secret {
						t.Errorf("the file that is named itself holds %q", files[filepath.Join(outside, "file")])
					}
					for _, at := range []string{"p", "{project}/p"} {
						if b, found := files[at]; found && name != "a large file" || len(b) > 1<<20 {
							t.Errorf("of %s %d bytes are read", at, len(b))
						}
					}
					_ = r.Remove(o)
				})
			})
		})
	}
}

// TestStarved checks that a case reports that the system has no resources left for hookwatch, and
// that the next case runs.
func TestStarved(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("hook.sh", "#!/bin/bash\nexit 0\n", 0o755)
	for _, mode := range []string{"copy", "none"} {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), attackVariable+"=starved", "ROOT="+p.root, "TEMP="+t.TempDir(), "MODE="+mode)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "prepare: too few file descriptors: ") || !strings.HasSuffix(string(out), "exit 0\n") {
			t.Errorf("%s: %v\n%s", mode, err, out)
		}
	}
}

func starved() {
	r := run.New(run.Options{Root: os.Getenv("ROOT"), Temp: os.Getenv("TEMP"), Timeout: time.Minute, Isolation: direct(os.Getenv("MODE"), os.Getenv("ROOT")), Env: []string{"PATH=" + os.Getenv("PATH")}})
	c := &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Steps: []suites.Step{{Event: "Stop"}}}
	_, _ = r.Case(context.Background(), c) // because Go itself needs a descriptor for its poller
	var was unix.Rlimit
	_ = unix.Getrlimit(unix.RLIMIT_NOFILE, &was)
	for files := uint64(4); files < 40; files++ {
		_ = unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: files, Max: was.Max})
		if _, err := r.Case(context.Background(), c); err != nil {
			fmt.Println(err)
		}
	}
	_ = unix.Setrlimit(unix.RLIMIT_NOFILE, &was)
	o, err := r.Case(context.Background(), c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("exit", o.Last().Exit)
}

// TestTakeAway checks that the files that a killed process placed in the project are removed at the
// next start, except those that were changed since.
func TestTakeAway(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"none", "copy"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.write("hook.sh", "#!/bin/bash\necho >\"$STARTED\"\nsleep 1000\n", 0o755)
			p.write("there/file", "", 0o644)
			outside := t.TempDir()
			started := filepath.Join(t.TempDir(), "started")
			mkfifo(t, started)
			cmd := exec.Command("/proc/self/exe")
			cmd.Env = append(os.Environ(), attackVariable+"=placing", "ROOT="+p.root, "TEMP="+p.temp, "MODE="+mode, "OUTSIDE="+outside, "STARTED="+started)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			inTime(t, func() { _, _ = os.ReadFile(started) })
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			at := outside
			if mode == "none" {
				at = p.root
			}
			for _, name := range []string{"new/deep/fixture", "there/fixture", "new/changed", "kept/link"} {
				if _, err := os.Lstat(filepath.Join(at, name)); err != nil {
					t.Fatalf("the process did not place it: %v", err)
				}
			}
			write(t, filepath.Join(at, "new/changed"), "the user's\n")
			if err := os.Rename(filepath.Join(at, "kept"), filepath.Join(at, "moved")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("moved", filepath.Join(at, "kept")); err != nil {
				t.Fatal(err)
			}
			if err := sandbox.RemoveFixtures(p.temp); err != nil {
				t.Error(err)
			}
			for name, want := range map[string]bool{
				"new/deep": false, "there/fixture": false, "there": true, "new/changed": true, "moved/link": true,
			} {
				if _, err := os.Lstat(filepath.Join(at, name)); (err == nil) != want {
					t.Errorf("%s is there: %v, want %v", name, err == nil, want)
				}
			}
		})
	}
}

func placing() {
	r := run.New(run.Options{
		Root: os.Getenv("ROOT"), Temp: os.Getenv("TEMP"), Timeout: time.Hour, Isolation: direct(os.Getenv("MODE"), os.Getenv("ROOT")),
		Env: []string{"PATH=" + os.Getenv("PATH"), "STARTED=" + os.Getenv("STARTED")},
	})
	at := "{project}/"
	if r.Isolation.Describe().Name == "copy" {
		at = os.Getenv("OUTSIDE") + "/"
		_ = os.Mkdir(at+"there", 0o755)
	}
	st := suites.Step{Event: "Stop"}
	for _, name := range []string{"new/deep/fixture", "there/fixture", "new/changed", "kept/link"} {
		st.Fixtures = append(st.Fixtures, suites.Fixture{Path: at + name, Content: "fixture\n"})
	}
	_, err := r.Case(context.Background(), &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Steps: []suites.Step{st}})
	fmt.Println(err) // the test kills this process before
}
