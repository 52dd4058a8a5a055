package watcher

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestStress performs hundreds of random operations on a tree while batches are received,
// and checks that the account equals the disk whenever there is a pause.
func TestStress(t *testing.T) {
	t.Parallel()
	for _, mode := range []mode{byEvents, byPolling} {
		for range 3 {
			seed := uint64(time.Now().UnixNano())
			t.Run(mode.name+"/"+strconv.FormatUint(seed, 10), func(t *testing.T) {
				t.Parallel()
				root := t.TempDir()
				v := &vandal{t: t, root: root, r: rand.New(rand.NewPCG(seed, 0))}
				put(t, filepath.Join(root, "ext", "a", "f"), "0")
				p := watch(t, mode, Interest{
					Files: []string{filepath.Join(root, "top", "a", "b", "f"), filepath.Join(root, "ext", "b", "g")},
					Dirs:  []string{filepath.Join(root, "top"), filepath.Join(root, "top", "c")},
				})
				for i := range 600 {
					v.act()
					p.receiveWaiting()
					if i%150 == 149 {
						p.settle()
					}
				}
				if got, want := p.w.Files(), len(p.account); got != want {
					t.Errorf("Files() = %d, want %d", got, want)
				}
			})
		}
	}
}

// A vandal performs random operations on the directories top and ext below root. Links
// that it moves may lead back to one of their parents.
type vandal struct {
	t    *testing.T
	root string
	r    *rand.Rand
}

func (v *vandal) path(top string, depth int) string {
	parts := []string{v.root, top}
	for range v.r.IntN(depth) {
		parts = append(parts, string("abc"[v.r.IntN(3)]))
	}
	return filepath.Join(append(parts, string("abcfg"[v.r.IntN(5)]))...)
}

// act performs one operation; impossible ones are ignored.
func (v *vandal) act() {
	top := "top"
	if v.r.IntN(3) == 0 {
		top = "ext"
	}
	path, other := v.path(top, 4), v.path(top, 4)
	switch v.r.IntN(12) {
	case 0, 1, 2, 3:
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		_ = os.WriteFile(path, []byte(strconv.Itoa(v.r.IntN(50))), 0o644)
	case 4:
		_ = os.WriteFile(path+".tmp", []byte(strconv.Itoa(v.r.IntN(50))), 0o644)
		_ = os.Rename(path+".tmp", path)
	case 5:
		_ = os.Remove(path)
	case 6:
		_ = os.RemoveAll(path)
	case 7, 8:
		_ = os.Rename(path, other)
	case 9:
		_ = os.Chmod(path, os.FileMode(0o700+v.r.IntN(2)*0o55))
	case 10:
		_ = os.Symlink(v.path("ext", 3), v.path("top", 3))
	case 11: // rename a directory away and another one to its place
		_ = os.Rename(path, filepath.Join(v.root, "aside"))
		_ = os.Rename(other, path)
		_ = os.Rename(filepath.Join(v.root, "aside"), other)
	}
}

// TestBranchSwitch changes many files, directories and links at once with git.
func TestBranchSwitch(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is absent")
	}
	for _, mode := range []mode{byEvents, byPolling} {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			git := func(args ...string) { runGit(t, root, args...) }
			git("init", "-q", "-b", "one")
			put(t, filepath.Join(root, "hooks", "same.sh"), "same")
			for i := range 100 {
				put(t, filepath.Join(root, "hooks", strconv.Itoa(i%10), strconv.Itoa(i)), "one"+strconv.Itoa(i))
			}
			git("add", ".")
			git("commit", "-q", "-m", "one")
			git("checkout", "-q", "-b", "two")
			ok(t, os.RemoveAll(filepath.Join(root, "hooks", "3")))
			ok(t, os.Symlink("../4", filepath.Join(root, "hooks", "5", "link")))
			for i := range 50 {
				put(t, filepath.Join(root, "hooks", strconv.Itoa(i%7), strconv.Itoa(i)), "two"+strconv.Itoa(i))
			}
			git("add", ".")
			git("commit", "-q", "-m", "two")
			p := watch(t, mode, Interest{Dirs: []string{filepath.Join(root, "hooks")}})
			for _, branch := range []string{"one", "two", "one", "two"} {
				git("checkout", "-q", branch)
				for _, path := range p.settle() {
					if strings.HasSuffix(path, "same.sh") {
						t.Errorf("%s did not change", path)
					}
				}
			}
		})
	}
}

func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
