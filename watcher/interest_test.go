package watcher

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCovers(t *testing.T) {
	t.Parallel()
	s, err := newScope(Interest{
		Files: []string{"/p/x/../conf", "/p/no.tmp"},
		Dirs:  []string{"/p/hooks/", "/p/skip", "/q"},
		Ignore: func(path string, isDir bool) bool {
			return !isDir && filepath.Ext(path) == ".tmp" || isDir && filepath.Base(path) == "skip"
		},
	})
	ok(t, err)
	for path, want := range map[string]bool{
		"/p/conf": true, "/p/conf/a": false, "/p/x": false, "/p/no.tmp": false,
		"/p/hooks/a": true, "/p/hooks/b/c": true, "/p/hooks": false, "/p/hooksX/a": false, "/p/hooks/a.tmp": false,
		"/p/hooks/skip/a": false, "/p/hooks/skip/b/c": false, "/p/hooks/skip": true, "/p/skip/a": false, "/q/a": true,
	} {
		if got := s.covers(path); got != want {
			t.Errorf("covers(%q) = %v, want %v", path, got, want)
		}
	}
	if (scope{}).covers("/p/conf") {
		t.Error("an empty scope covers something")
	}
	all, err := newScope(Interest{Dirs: []string{"/"}})
	if ok(t, err); !all.covers("/a/b") {
		t.Error("the root directory does not cover its content")
	}
}

func TestRelativePath(t *testing.T) {
	t.Parallel()
	for _, i := range []Interest{{Files: []string{"a"}}, {Dirs: []string{"./a"}}} {
		if _, err := New(Options{Interest: i}); err == nil || !strings.Contains(err.Error(), "not absolute") {
			t.Errorf("New(%v) returns %v", i, err)
		}
	}
}

// TestSetInterest changes the interest while changes wait.
func TestSetInterest(t *testing.T) {
	t.Parallel()
	for _, mode := range []mode{byEvents, byPolling} {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			at := func(p string) string { return filepath.Join(root, p) }
			for _, name := range []string{"a/kept", "a/changed", "a/gone", "a/hidden.tmp", "b/new", "file"} {
				put(t, at(name), "1")
			}
			ignore := func(path string, _ bool) bool { return filepath.Ext(path) == ".tmp" }
			p := watch(t, mode, Interest{Dirs: []string{at("a")}, Files: []string{at("file")}, Ignore: ignore})
			put(t, at("a/changed"), "2")
			put(t, at("a/created"), "2")
			put(t, at("file"), "2")
			ok(t, os.Remove(at("a/gone")))
			next := Interest{Dirs: []string{at("a"), at("b")}, Files: []string{p.sentinel, at("late"), at("a/changed")}}
			ok(t, p.w.SetInterest(next))
			p.interest = next
			// New files of interest are part of the baseline; file is dropped.
			p.account[at("b/new")], p.account[at("a/hidden.tmp")] = digestOf([]byte("1"), 0), digestOf([]byte("1"), 0)
			delete(p.account, at("file"))
			got := p.settle()
			slices.Sort(got)
			if want := []string{at("a/changed"), at("a/created"), at("a/gone")}; !slices.Equal(got, want) {
				t.Errorf("reported %q, want %q", got, want)
			}
			put(t, at("b/new"), "2")
			put(t, at("late"), "2")
			put(t, at("a/hidden.tmp"), "2")
			put(t, at("file"), "3")
			p.settle()
			// Less: b is no longer of interest, a/changed only as a file.
			p.interest = Interest{Files: []string{p.sentinel, at("a/changed")}}
			ok(t, p.w.SetInterest(p.interest))
			p.account = onDisk(t, p.interest)
			put(t, at("b/new"), "3")
			put(t, at("a/changed"), "3")
			p.settle()
			if got := p.w.Files(); got != 2 {
				t.Errorf("Files() = %d, want 2", got)
			}
			if err := p.w.SetInterest(Interest{Files: []string{"relative"}}); err == nil {
				t.Error("a relative path is accepted")
			}
			put(t, at("a/changed"), "4")
			p.settle()
		})
	}
}

// TestWatchesAreReleased checks that nothing is left of an interest that was replaced.
func TestWatchesAreReleased(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, filepath.Join(root, "a", "b", "c"), "1")
	ok(t, os.Symlink("a/b", filepath.Join(root, "link")))
	p := watch(t, byEvents, Interest{Dirs: []string{root}, Files: []string{filepath.Join(root, "link", "x", "y")}})
	p.settle()
	ok(t, p.w.SetInterest(Interest{}))
	ok(t, p.w.request(func() {
		ds := p.w.tree.dirs
		if len(ds.all)+len(ds.byID)+len(ds.failed)+len(p.w.tree.owners)+len(p.w.backlog.reported) > 0 {
			t.Errorf("left behind: %v, %v", ds.all, p.w.tree.owners)
		}
		if list := p.w.backend.(notifier).WatchList(); len(list) > 0 {
			t.Errorf("still watched: %q", list)
		}
	}))
}

// TestIdle checks that no timer is needed while everything is watched and nothing is held
// back.
func TestIdle(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	p := watch(t, byEvents, Interest{Dirs: []string{root}, Files: []string{filepath.Join(root, "no", "such", "file")}})
	put(t, filepath.Join(root, "a"), "1")
	p.settle()
	ok(t, p.w.request(func() {
		if at, waits := p.w.wakeAt(time.Now()); waits {
			t.Errorf("the watcher would wake at %v", at)
		}
	}))
}

// TestUnreceived checks that changes are merged while there is no receiver.
func TestUnreceived(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	a, b := filepath.Join(root, "a"), filepath.Join(root, "b")
	put(t, a, "1")
	p := watch(t, byEvents, Interest{Dirs: []string{root}})
	for _, content := range []string{"2", "3", "4"} {
		put(t, a, content)
		put(t, b, content)
		rescan(p.w) // so that each was noticed
	}
	put(t, a, "1")
	rescan(p.w)
	got := p.receive().Changes
	if len(got) != 2 || got[0].Kind != Restored || got[1].Path != b || got[1].Digest != digestOf([]byte("4"), 0) {
		t.Errorf("got %v, want a as it was, and the last content of b", got)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	for _, mode := range []mode{byEvents, byPolling} {
		path := filepath.Join(t.TempDir(), "a")
		w, err := mode.start(Options{Interest: Interest{Files: []string{path}}, Poll: time.Millisecond})
		ok(t, err)
		put(t, path, "1") // never received
		ok(t, w.Close())
		ok(t, w.Close())
		select {
		case _, open := <-w.Batches():
			if open {
				t.Error("a batch after Close")
			}
		default:
			t.Error("Close did not wait")
		}
		if err := w.SetInterest(Interest{}); !errors.Is(err, errClosed) {
			t.Errorf("SetInterest after Close returns %v", err)
		}
		rescan(w)
	}
}

// TestFilesOfInterest checks that the number of files is that of the latest interest as
// soon as SetInterest returns.
func TestFilesOfInterest(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for i := range 40 {
		if err := os.WriteFile(filepath.Join(root, fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var files []string
	for i := range 40 {
		files = append(files, filepath.Join(root, fmt.Sprint(i)))
		if err := w.SetInterest(Interest{Files: files}); err != nil {
			t.Fatal(err)
		}
		if got := w.Files(); got != i+1 {
			t.Fatalf("%d files, want %d", got, i+1)
		}
	}
}
