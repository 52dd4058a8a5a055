//go:build unix

package watcher

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestReadPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	ok(t, syscall.Mkfifo(path, 0o600))
	got := make(chan state, 1)
	go func() {
		s, _, _ := newReader(10).read(path)
		got <- s
	}()
	select {
	case s := <-got:
		if s != (state{}) {
			t.Errorf("a pipe reads as %+v", s)
		}
	case <-time.After(ceiling):
		t.Fatal("reading a pipe blocks")
	}
}

// TestNoDescriptors runs out of open files while a file changes.
func TestNoDescriptors(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	put(t, path, "1")
	p := watch(t, byEvents, Interest{Files: []string{path}})
	failed := make(chan bool, 1)
	ok(t, p.w.request(func() {
		p.w.tree.reader.open = func(string) (*os.File, error) {
			select {
			case failed <- true:
			default:
			}
			return nil, &os.PathError{Op: "open", Err: syscall.EMFILE}
		}
	}))
	put(t, path, "2")
	<-failed
	ok(t, p.w.request(func() { p.w.tree.reader.open = openAtOnce }))
	if b := p.receive(); b.Changes[0].Digest != Digest([]byte("2"), 0) {
		t.Errorf("got %v, want the new content", b)
	}
	for timers := true; timers; {
		put(t, path, time.Now().String())
		p.settle()
		ok(t, p.w.request(func() { timers = p.w.tree.unwatched() }))
	}
}
