package run_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"

	"hookwatch/suites"
	"hookwatch/suites/process"
)

// chosen returns a runner of a project whose hook executes ACT.
func chosen(t *testing.T, mode string, more func(*run.Options, *sandbox.Options)) (*project, *run.Runner) {
	t.Helper()
	p := newProject(t)
	p.write("hook.sh", "#!/bin/bash\neval \"$ACT\"\n", 0o755)
	home := t.TempDir()
	o := run.Options{
		Root: p.root, Temp: p.temp, Timeout: time.Minute,
		Env: process.With(run.Environment(os.Environ(), nil), map[string]string{"HOME": home}),
	}
	i := sandbox.Options{Root: p.root, Home: home, Size: 64 << 20, Processes: 100}
	if more != nil {
		more(&o, &i)
	}
	choice, err := sandbox.Choose(mode, i, p.temp)
	if err != nil {
		t.Skipf("user namespaces are needed: %v", err)
	}
	o.Isolation = choice
	r := run.New(o)
	t.Cleanup(r.Close)
	return p, r
}

// doing returns a case whose hook does an act.
func doing(act string) *suites.Case {
	return &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Env: map[string]string{"ACT": act}, Steps: []suites.Step{{Event: "Stop"}}}
}

// TestKeepSparse checks that a kept sandbox takes up only the bytes that the case wrote, within the
// limit.
func TestKeepSparse(t *testing.T) {
	t.Parallel()
	const bound = 1 << 20
	for _, mode := range []string{"namespaces", "copy", "none"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			_, r := chosen(t, mode, func(o *run.Options, i *sandbox.Options) {
				o.KeepSize = bound
				i.Size = 200 << 40 // no limit on a file's size, which is not under test
			})
			act := `cd "$TMPDIR"; truncate -s 1T x; printf end | dd of=y bs=1 seek=5000000000 2>/dev/null; echo small >small
				head -c 3000000 /dev/zero >big; ln -s /etc/hostname ../LEFT-OUT.txt; exit 1`
			if mode == "namespaces" {
				act = "truncate -s 100T \"$TMPDIR/huge\"; head -c 3000000 /dev/zero >/tmp/elsewhere; " + act
			}
			o, err := r.Case(t.Context(), doing(act))
			if err != nil {
				t.Fatal(err)
			}
			kept := filepath.Join(t.TempDir(), "kept")
			inTime(t, func() { err = r.Keep(o, kept) })
			if err != nil {
				t.Fatal(err)
			}
			all, held := heldBelow(kept)
			if held > bound {
				t.Errorf("it takes up %d bytes", held)
			}
			sizes := map[string]int64{"tmp/x": 1 << 40, "tmp/y": 5_000_000_003, "tmp/small": 6, "tmp/big": 0}
			got := map[string]int64{}
			for name := range sizes {
				got[name] = all[name]
			}
			if d := cmp.Diff(sizes, got); d != "" {
				t.Errorf("sizes of kept files (-want +got):\n%s", d)
			}
			if f, err := os.Open(filepath.Join(kept, "tmp/y")); err == nil {
				end := make([]byte, 3)
				_, _ = f.ReadAt(end, 5_000_000_000)
				_ = f.Close()
				if string(end) != "end" {
					t.Errorf("its data is %q", end)
				}
			}
			want := []string{"tmp/big: 3000000 bytes"}
			if mode == "namespaces" {
				want = append(want, "/tmp/elsewhere: 3000000 bytes", "tmp/huge: 109951162777600 bytes")
			}
			leftOut, err := os.ReadFile(filepath.Join(kept, sandbox.LeftOut))
			for _, w := range want {
				if err != nil || !strings.Contains(string(leftOut), w) {
					t.Errorf("%q is not listed: %s, %v", w, leftOut, err)
				}
			}
		})
	}
}

// heldBelow returns the sizes of files, and the disk space of all of them.
func heldBelow(dir string) (sizes map[string]int64, held int64) {
	sizes = make(map[string]int64)
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, _ error) error {
		if fi, err := os.Lstat(path); err == nil && fi.Mode().IsRegular() {
			rel, _ := filepath.Rel(dir, path)
			sizes[rel] = fi.Size()
			held += fi.Sys().(*syscall.Stat_t).Blocks * 512
		}
		return nil
	})
	return sizes, held
}

// TestCopySparse checks that a sparse file of the project takes no space in a copy.
func TestCopySparse(t *testing.T) {
	t.Parallel()
	p, r := chosen(t, "copy", nil)
	p.write("sparse", "", 0o644)
	if err := os.Truncate(filepath.Join(p.root, "sparse"), 1<<40); err != nil {
		t.Fatal(err)
	}
	inTime(t, func() {
		o, err := r.Case(t.Context(), doing(`stat -c '%s %b' "$CLAUDE_PROJECT_DIR/sparse"`))
		if err != nil {
			t.Error(err)
			return
		}
		if got := string(o.Last().Stdout); got != "1099511627776 0\n" {
			t.Errorf("the copy has size and blocks %q", got)
		}
		_ = r.Remove(o)
	})
}

// TestKeepMany checks that a kept sandbox has no more inodes than the limit allows.
func TestKeepMany(t *testing.T) {
	t.Parallel()
	const bound = 1 << 20
	for _, mode := range []string{"namespaces", "copy", "none"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			_, r := chosen(t, mode, func(o *run.Options, i *sandbox.Options) { o.KeepSize, i.Size = bound, 64<<20 })
			o, err := r.Case(t.Context(), doing(`cd "$TMPDIR"; echo kept >0; mkdir dirs empty; mkdir dirs/{1..500}
				touch empty/{1..1500}; for i in {1..20}; do ln -s x link$i; done; exit 1`))
			if err != nil {
				t.Fatal(err)
			}
			kept := filepath.Join(t.TempDir(), "kept")
			if err := r.Keep(o, kept); err != nil {
				t.Fatal(err)
			}
			inodes := 0
			_ = filepath.WalkDir(kept, func(string, fs.DirEntry, error) error { inodes++; return nil })
			if most := bound/sandbox.LeastTaken + 20; inodes > most {
				t.Errorf("%d files and directories are kept, more than %d", inodes, most)
			}
			if leftOut, err := os.ReadFile(filepath.Join(kept, sandbox.LeftOut)); err != nil || len(leftOut) > bound {
				t.Errorf("the list of omitted files has %d bytes: %v", len(leftOut), err)
			}
		})
	}
}
