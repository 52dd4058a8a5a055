package watcher

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMovedUnseen creates a directory of interest under its new name before the event of
// its renaming is read, because the system has one watch for both names.
func TestMovedUnseen(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	x, y := filepath.Join(root, "x"), filepath.Join(root, "y")
	put(t, filepath.Join(x, "d", "sub", "f"), "1")
	ok(t, os.Mkdir(y, 0o755))
	p, tr := watchTroubled(t, Interest{Dirs: []string{x}}, never, nil)
	tr.halt.Lock()
	ok(t, os.Rename(filepath.Join(x, "d"), filepath.Join(y, "d")))
	p.interest.Dirs = append(p.interest.Dirs, y)
	ok(t, p.w.SetInterest(p.interest))
	tr.halt.Unlock()
	p.account[filepath.Join(y, "d", "sub", "f")] = digestOf([]byte("1"), 0)
	p.settle()
	put(t, filepath.Join(y, "d", "sub", "f"), "2")
	p.settle()
	put(t, filepath.Join(y, "d", "g"), "2")
	p.settle()
}

// TestTwoNames watches one directory under two names, as a mount can make it.
func TestTwoNames(t *testing.T) {
	t.Parallel()
	path, err := filepath.EvalSymlinks(t.TempDir())
	ok(t, err)
	other := filepath.Join("/proc/self/root", path)
	if _, err := os.Stat(other); err != nil {
		t.Skip("no second name to be had")
	}
	b, err := openNotifier()
	ok(t, err)
	defer func() { ok(t, b.Close()) }()
	var said []string
	ds := newDirectories(system{}, b, &notes{send: func(s string) { said = append(said, s) }})
	n := &node{}
	ds.enlist(n, path)
	ds.enlist(n, other)
	if again, _ := ds.watch(ds.all[path]); !again {
		t.Fatal("the first name is not watched")
	}
	if again, evicted := ds.watch(ds.all[other]); again || evicted != nil || !ds.all[path].watched {
		t.Error("the second name took the watch of the first")
	}
	if got := ds.polledDirs(); len(got) != 1 || got[0].path != other || len(said) != 1 || !strings.Contains(said[0], other) {
		t.Errorf("polled are %v, said was %q", got, said)
	}
}
