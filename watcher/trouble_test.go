package watcher

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// TestLostEvents loses every event of a rebuilt tree, and then reports the loss.
func TestLostEvents(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, filepath.Join(root, "hooks", "lib", "a"), "1")
	put(t, filepath.Join(root, "hooks", "gone"), "1")
	p, tr := watchTroubled(t, Interest{Dirs: []string{filepath.Join(root, "hooks")}}, never, nil)
	for i := range 3 {
		mark := filepath.Join(root, strconv.Itoa(i))
		tr.deaf <- mark
		ok(t, os.Rename(filepath.Join(root, "hooks"), filepath.Join(root, "old")))
		put(t, filepath.Join(root, "hooks", "lib", "a"), time.Now().String())
		put(t, filepath.Join(root, "hooks", "new", "b"), time.Now().String())
		put(t, mark, "")
		<-tr.hears
		p.w.inbox.fail(fsnotify.ErrEventOverflow)
		p.settle()
		if !p.overflow {
			t.Error("no batch reports the overflow")
		}
		p.overflow = false
		put(t, filepath.Join(root, "hooks", "lib", "a"), "3") // watched again
		put(t, filepath.Join(root, "hooks", "new", "b"), "3")
		p.settle()
		if p.overflow {
			t.Error("a later batch reports the overflow, too")
		}
		ok(t, os.RemoveAll(filepath.Join(root, "old")))
	}
}

// TestSwappedAtOnce replaces a directory by another one before any event of it is read.
func TestSwappedAtOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file := filepath.Join(root, "hooks", "lib", "deep", "a")
	put(t, file, "1")
	p, tr := watchTroubled(t, Interest{Dirs: []string{filepath.Join(root, "hooks")}}, never, nil)
	tr.halt.Lock()
	ok(t, os.Rename(filepath.Join(root, "hooks"), filepath.Join(root, "old")))
	put(t, file, "2")
	tr.halt.Unlock()
	p.settle()
	put(t, file, "3")
	p.settle()
	put(t, filepath.Join(root, "hooks", "lib", "b"), "1")
	p.settle()
}

// TestHarmlessOverflow loses events without a change.
func TestHarmlessOverflow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	p := watch(t, byEvents, Interest{Files: []string{path}})
	p.w.inbox.fail(fsnotify.ErrEventOverflow)
	ok(t, p.w.request(func() { p.w.core.take(p.w.inbox.take()); p.w.work() })) // to its end, so that the next change is a later one
	put(t, path, "1")
	if p.settle(); p.overflow {
		t.Error("a batch reports an overflow that hid nothing")
	}
}

// TestRescan finds changes without events.
func TestRescan(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, "a")
	put(t, path, "1")
	p, tr := watchTroubled(t, Interest{Dirs: []string{root}}, never, nil)
	tr.deaf <- "forever"
	info, err := os.Stat(path)
	ok(t, err)
	put(t, path, "2")
	ok(t, os.Chtimes(path, time.Time{}, info.ModTime()))
	rescan(p.w)
	if b := p.receive(); len(b.Changes) != 1 || b.Changes[0].Path != path || b.Overflow {
		t.Errorf("the batch is %v, want %s alone", b, path)
	}
}

// TestRealOverflow fills the system's own queue.
func TestRealOverflow(t *testing.T) {
	limit, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Skip("no inotify here")
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(limit)))
	if err != nil || n > 1<<17 {
		t.Skipf("the queue holds %s events", limit)
	}
	root := t.TempDir()
	p, tr := watchTroubled(t, Interest{Dirs: []string{root}}, never, nil)
	tr.halt.Lock()
	from, to := filepath.Join(root, "0"), filepath.Join(root, "1")
	ok(t, os.WriteFile(from, nil, 0o644))
	for range n/2 + 5_000 { // two events each; the backend reads some before it blocks
		ok(t, os.Rename(from, to))
		from, to = to, from
	}
	put(t, filepath.Join(root, "d", "last"), "1")
	tr.halt.Unlock()
	p.settle()
	if !p.overflow {
		t.Error("the queue did not overflow, or no batch reports it")
	}
	put(t, filepath.Join(root, "d", "last"), "2")
	p.settle()
}

// TestWatchLimit makes the system run out of watches, at once and half-way, and recover.
func TestWatchLimit(t *testing.T) {
	t.Parallel()
	for _, allowed := range []int{0, 3, 6} {
		t.Run(strconv.Itoa(allowed), func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			put(t, filepath.Join(root, "hooks", "lib", "a"), "1")
			var said []string
			full := true
			p, _ := watchTroubled(t, Interest{Dirs: []string{filepath.Join(root, "hooks")}}, func(n int) error {
				if full && n > allowed {
					return syscall.ENOSPC
				}
				return nil
			}, func(s string) { said = append(said, s) })
			if len(said) != 1 || !strings.Contains(said[0], "fs.inotify.max_user_watches") {
				t.Errorf("said %q, want one line that names the sysctl", said)
			}
			put(t, filepath.Join(root, "hooks", "lib", "a"), "2")
			p.settle()
			put(t, filepath.Join(root, "hooks", "x", "y"), "2")
			p.settle()
			ok(t, p.w.request(func() { full = false }))
			for idle := false; !idle; { // polling stops when everything is watched
				put(t, filepath.Join(root, "hooks", "lib", "a"), time.Now().String())
				p.settle()
				ok(t, p.w.request(func() { idle = !p.w.tree.needsPolling() }))
			}
			put(t, filepath.Join(root, "hooks", "x", "y"), "3")
			p.settle()
			ok(t, p.w.request(func() {
				for path, d := range p.w.tree.dirs.all {
					if !d.watched {
						t.Errorf("%s is not watched again", path)
					}
				}
			}))
		})
	}
}

// TestChangeBeforeWatch creates a file of interest after its path was resolved and just
// before one of the directories on the way is watched.
func TestChangeBeforeWatch(t *testing.T) {
	t.Parallel()
	for nth := range 8 {
		root := t.TempDir()
		path := filepath.Join(root, "a", "b", "f")
		var adds int
		p, _ := watchTroubled(t, Interest{Files: []string{path}}, func(n int) error {
			if adds = n; n == nth+1 {
				put(t, path, "1")
			}
			return nil
		}, nil)
		// Changes before the baseline are known, changes after it are reported.
		ok(t, p.w.request(func() {
			if adds <= nth {
				nth = -1
			}
			clear(p.account)
			for known, s := range p.w.backlog.reported {
				p.account[known] = s.digest
			}
		}))
		if nth < 0 {
			break
		}
		put(t, path, "2")
		p.settle()
	}
}

// TestNoEvents starts a watcher on a system without an event source.
func TestNoEvents(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	var said []string
	p := watch(t, mode{"none", func(o Options) (*Watcher, error) {
		o.Note = func(s string) { said = append(said, s) }
		return start(o, func() (backend, error) { return nil, syscall.EMFILE })
	}}, Interest{Files: []string{path}})
	put(t, path, "1")
	p.settle()
	if len(said) != 1 || !strings.Contains(said[0], "max_user_instances") {
		t.Errorf("said %q, want one line that names the sysctl", said)
	}
}

// TestErrorOfSource treats an unknown error as a loss of events.
func TestErrorOfSource(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	p, tr := watchTroubled(t, Interest{Files: []string{path}}, never, nil)
	tr.deaf <- "forever"
	put(t, path, "1")
	p.w.inbox.fail(errors.New("broken"))
	if b := p.receive(); b.Overflow || b.Changes[0].Path != path {
		t.Errorf("the batch is %v, want %s without overflow", b, path)
	}
}
