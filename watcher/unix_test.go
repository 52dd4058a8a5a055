//go:build unix

package watcher

import (
	"io/fs"
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
		s, _, _ := newReader(system{}, 10).read(path)
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

// An exhaustedDisk has no descriptors left.
type exhaustedDisk struct {
	system
	failed chan<- bool
}

func (d exhaustedDisk) Open(path string) (fs.File, error) {
	select {
	case d.failed <- true:
	default:
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.EMFILE}
}

// TestNoDescriptors runs out of open files while a file changes.
func TestNoDescriptors(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	put(t, path, "1")
	p := watch(t, byEvents, Interest{Files: []string{path}})
	failed := make(chan bool, 1)
	ok(t, p.w.request(func() {
		p.w.tree.reader.disk = exhaustedDisk{failed: failed}
	}))
	put(t, path, "2")
	<-failed
	ok(t, p.w.request(func() { p.w.tree.reader.disk = system{} }))
	if b := p.receive(); b.Changes[0].Digest != digestOf([]byte("2"), 0) {
		t.Errorf("got %v, want the new content", b)
	}
	for timers := true; timers; {
		put(t, path, time.Now().String())
		p.settle()
		ok(t, p.w.request(func() { timers = p.w.tree.needsPolling() }))
	}
}
