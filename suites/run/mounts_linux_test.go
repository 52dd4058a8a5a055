package run_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hookwatch/suites"
	"hookwatch/suites/process"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// mounted mounts something for the duration of a test.
func mounted(t *testing.T, source, at, kind string, flags uintptr, data string) {
	t.Helper()
	if err := unix.Mount(source, at, kind, flags, data); err != nil {
		t.Skipf("mounting needs root: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(at, unix.MNT_DETACH) })
}

// mountsInside are possible mounts in a project or HOME. Each function gets both and a directory
// elsewhere.
var mountsInside = map[string]func(t *testing.T, project, home, other string){
	"tmpfs at a directory": func(t *testing.T, project, _, _ string) {
		mounted(t, "tmpfs", filepath.Join(project, "node_modules"), "tmpfs", 0, "size=1m")
		write(t, filepath.Join(project, "node_modules/m/index.js"), "module\n")
	},
	"a bind mount": func(t *testing.T, project, _, other string) {
		write(t, filepath.Join(other, "m/index.js"), "module\n")
		mounted(t, other, filepath.Join(project, "node_modules"), "", unix.MS_BIND, "")
	},
	"a bind mount far down": func(t *testing.T, project, _, other string) {
		write(t, filepath.Join(other, "index.js"), "module\n")
		mounted(t, other, filepath.Join(project, "node_modules/m"), "", unix.MS_BIND, "")
	},
	"a mount in a mount": func(t *testing.T, project, _, other string) {
		write(t, filepath.Join(other, "inner/file"), "")
		mounted(t, "tmpfs", filepath.Join(project, "node_modules"), "tmpfs", 0, "size=1m")
		write(t, filepath.Join(project, "node_modules/m/index.js"), "module\n")
		write(t, filepath.Join(project, "node_modules/deep/x/y"), "")
		mounted(t, other, filepath.Join(project, "node_modules/deep/x"), "", unix.MS_BIND, "")
	},
	"a file": func(t *testing.T, project, _, other string) {
		write(t, filepath.Join(other, "file"), "first\n")
		mounted(t, filepath.Join(other, "file"), filepath.Join(project, "root.txt"), "", unix.MS_BIND, "")
		write(t, filepath.Join(project, "node_modules/m/index.js"), "module\n")
	},
	"in HOME": func(t *testing.T, project, home, other string) {
		mounted(t, other, filepath.Join(home, ".cache/uv/tool"), "", unix.MS_BIND, "")
		mounted(t, "tmpfs", filepath.Join(home, ".ssh/agent"), "tmpfs", 0, "size=1m")
		write(t, filepath.Join(project, "node_modules/m/index.js"), "module\n")
	},
	"an overlay on an overlay": func(t *testing.T, project, _, other string) {
		write(t, filepath.Join(other, "l/m/index.js"), "module\n")
		lower := filepath.Join(other, "l")
		for _, at := range []string{filepath.Join(other, "o"), filepath.Join(project, "node_modules")} {
			upper, work := at+".upper", at+".work"
			if lower != filepath.Join(other, "l") {
				upper, work = filepath.Join(other, "upper"), filepath.Join(other, "work")
			}
			for _, d := range []string{upper, work, at} {
				if err := os.MkdirAll(d, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			mounted(t, "overlay", at, "overlay", 0, "lowerdir="+lower+",upperdir="+upper+",workdir="+work)
			lower = at
		}
	},
}

// inMounts is a hook that uses a project with mounts as it would without.
const inMounts = `cd "$CLAUDE_PROJECT_DIR" || exit 3
cat root.txt node_modules/m/index.js src/main.txt
echo more >>root.txt; echo new >new.txt; echo new >src/new.txt; rm gone.txt; mkdir made; echo x >made/file
echo new >"$HOME/.cache/new"; echo new >"$HOME/.new"; echo more >>"$HOME/.claude/hooks/notes.txt"
cat "$HOME/.netrc" "$HOME/.ssh/id" 2>/dev/null
git -C . status --short >/dev/null || exit 4
echo module >node_modules/m/index.js 2>/dev/null
true`

// TestMountsInside checks that cases run in namespaces despite any mounts in a project or HOME, and
// can write to their files without changing the originals.
func TestMountsInside(t *testing.T) {
	for name, mount := range mountsInside {
		t.Run(name, func(t *testing.T) {
			for _, where := range []string{"in /tmp", "elsewhere"} {
				dir := t.TempDir()
				if where == "elsewhere" {
					dir = newPublicDir(t)
				}
				p, r := withMounts(t, dir, mount)
				h := &hostile{t: t, world: dir}
				before := h.digest()
				o, err := r.Case(t.Context(), doing(inMounts))
				if err != nil {
					t.Fatal(err)
				}
				sawMounts(t, where, o, read(name))
				kept := filepath.Join(t.TempDir(), "kept")
				if err := r.Keep(o, kept); err != nil {
					t.Error(err)
				}
				if b, err := os.ReadFile(filepath.Join(kept, "changes", p.root, "new.txt")); err != nil || string(b) != "new\n" {
					t.Errorf("%s: what it wrote is kept as %q, %v", where, b, err)
				}
				after := h.digest()
				for path, was := range before {
					if after[path] != was {
						t.Errorf("%s: %s was %s, is %s", where, path, was, after[path])
					}
				}
				if len(after) != len(before) {
					t.Errorf("%s: %d files before, %d after", where, len(before), len(after))
				}
			}
		})
	}
}

// ordinaryUser is an unassigned user ID.
const ordinaryUser = 54321

func init() { attacks["ordinary"] = ordinary }

// TestMountsInsideForUsers checks that an ordinary user, who may not uncover the files below a
// mount, has namespaces nevertheless.
func TestMountsInsideForUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting needs root")
	}
	for name, mount := range mountsInside {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			p, _ := withMounts(t, dir, mount)
			program := filepath.Join(dir, "program")
			copyProgram(t, program)
			for _, top := range []string{dir, p.temp} {
				if err := os.Chmod(filepath.Dir(top), 0o755); err != nil {
					t.Fatal(err)
				}
				_ = filepath.WalkDir(top, func(path string, _ fs.DirEntry, _ error) error { return os.Lchown(path, ordinaryUser, ordinaryUser) })
			}
			cmd := exec.Command(program)
			cmd.Dir = "/"
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinaryUser, Gid: ordinaryUser}}
			cmd.Env = []string{attackVariable + "=ordinary", "PATH=" + os.Getenv("PATH"), "ROOT=" + p.root, "TEMP=" + p.temp, "HOME=" + filepath.Join(dir, "home")}
			out, err := cmd.CombinedOutput()
			for _, want := range []string{
				"isolation namespaces\n" + read(name) + "exit 0\n", "changed {project}/root.txt", "created {project}/src/new.txt",
				"deleted {project}/gone.txt", "created ~/.new", "read ~/.netrc, which is masked",
			} {
				if err != nil || !strings.Contains(string(out), want) {
					t.Errorf("%q is not in %s, %v", want, out, err)
				}
			}
			if b, err := os.ReadFile(filepath.Join(p.root, "root.txt")); err != nil || string(b) != "first\n" {
				t.Errorf("the project's file holds %q, %v", b, err)
			}
		})
	}
}

// read returns the files of the project that the hook can read. The kernel makes no overlay of an
// overlay of an overlay, so such a mount is hidden.
func read(mount string) string {
	if mount == "an overlay on an overlay" {
		return "first\nwork\n"
	}
	return "first\nmodule\nwork\n"
}

func sawMounts(t *testing.T, where string, o suites.Outcome, want string) {
	t.Helper()
	last := o.Last()
	if last.Exit != 0 || string(last.Stdout) != want {
		t.Errorf("%s: exit %d, the hook saw %q\n%s", where, last.Exit, last.Stdout, last.Stderr)
	}
	var reported []string
	for _, c := range o.Changes {
		if !strings.Contains(c.Path, "/.git/") {
			reported = append(reported, string(c.Kind)+" "+c.Path)
		}
	}
	for _, want := range []string{
		"changed {project}/root.txt", "created {project}/new.txt", "created {project}/src/new.txt", "deleted {project}/gone.txt",
		"created {project}/made/file", "created ~/.cache/new", "created ~/.new", "changed ~/.claude/hooks/notes.txt",
	} {
		if !slices.Contains(reported, want) {
			t.Errorf("%s: %q is not reported: %q", where, want, reported)
		}
	}
	if stopped := strings.Join(o.Stopped, "\n"); !strings.Contains(stopped, "read ~/.netrc, which is masked") {
		t.Errorf("%s: %s", where, stopped)
	}
}

// withMounts creates a project and a HOME in dir, mounts something there, and returns a runner in
// namespaces.
func withMounts(t *testing.T, dir string, mount func(t *testing.T, project, home, other string)) (*project, *run.Runner) {
	t.Helper()
	root, home, other := filepath.Join(dir, "a, project"), filepath.Join(dir, "home"), filepath.Join(dir, "other")
	for name, content := range map[string]string{
		"root.txt": "first\n", "gone.txt": "", "src/main.txt": "work\n", "node_modules/m/x": "", "a,b:c\\d/file": "",
		".claude/hooks/x": "", "hook.sh": "#!/bin/bash\neval \"$ACT\"\n",
	} {
		write(t, filepath.Join(root, name), content)
	}
	for name, content := range map[string]string{".cache/uv/tool/x": "", ".cache/y/z": "", ".ssh/agent/x": secret, ".ssh/id": secret, ".netrc": secret, ".claude/hooks/notes.txt": "n\n"} {
		write(t, filepath.Join(home, name), content)
	}
	write(t, filepath.Join(other, "file"), "")
	if err := os.Chmod(filepath.Join(root, "hook.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, root, "init", "--quiet")
	if mount != nil {
		mount(t, root, home, other)
	}
	p := &project{t, root, t.TempDir()}
	return p, runnerOf(t, p, home)
}

func runnerOf(t *testing.T, p *project, home string) *run.Runner {
	t.Helper()
	choice, err := sandbox.Choose(sandbox.Auto, sandbox.Options{Root: p.root, Home: home, Size: 64 << 20, Processes: 100}, p.temp)
	if err != nil || choice.Describe().Name != "namespaces" {
		t.Fatalf("%v, %v", choice, err)
	}
	r := run.New(run.Options{
		Root: p.root, Temp: p.temp, Timeout: time.Minute, Isolation: choice,
		Env: process.With(run.Environment(os.Environ(), nil), map[string]string{"HOME": home}),
	})
	t.Cleanup(r.Close)
	return r
}

// TestMountsComeAndGo checks that no case fails because mounts are added and removed during a
// session.
func TestMountsComeAndGo(t *testing.T) {
	dir := newPublicDir(t)
	p, r := withMounts(t, dir, nil)
	r.KeepReady(2)
	at, other := filepath.Join(p.root, "node_modules/m"), filepath.Join(dir, "other")
	write(t, filepath.Join(other, "index.js"), "mounted\n")
	write(t, filepath.Join(at, "index.js"), "below\n")
	for round := range 4 {
		r.Prewarm()
		want := "below\n"
		if round%2 == 0 {
			mounted(t, other, at, "", unix.MS_BIND, "")
			want = "mounted\n"
		} else if err := unix.Unmount(at, 0); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			o, err := r.Case(t.Context(), doing(`cat "$CLAUDE_PROJECT_DIR/node_modules/m/index.js"; echo x >"$CLAUDE_PROJECT_DIR/new"`))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(o.Last().Stdout); got != want || o.Last().Exit != 0 {
				t.Errorf("round %d: the hook saw %q, want %q\n%s", round, got, want, o.Last().Stderr)
			}
			if err := r.Remove(o); err != nil {
				t.Error(err)
			}
		}
	}
}
