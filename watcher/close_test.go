package watcher

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// TestCloseInTheMiddle checks that a watcher stops its first scan of a large tree when it
// is closed.
func TestCloseInTheMiddle(t *testing.T) {
	t.Parallel()
	const files = 400
	dir := t.TempDir()
	for n := range files {
		put(t, filepath.Join(dir, fmt.Sprint("d", n%50), fmt.Sprint(n)), "")
	}
	w, err := New(Options{})
	ok(t, err)
	var asked atomic.Int64
	inside, release := make(chan struct{}), make(chan struct{})
	asks := func(string, bool) bool {
		if asked.Add(1) == 10 {
			close(inside)
			<-release
		}
		return false
	}
	set := make(chan error, 1)
	go func() { set <- w.SetInterest(Interest{Dirs: []string{dir}, Ignore: asks}) }()
	<-inside
	closed := make(chan error, 1)
	go func() { closed <- w.Close() }()
	<-w.done
	close(release)
	for _, ended := range []chan error{closed, set} {
		select {
		case err := <-ended:
			ok(t, err)
		case <-time.After(ceiling):
			t.Fatal("the watcher does not end")
		}
	}
	if n := asked.Load(); n > files/2 {
		t.Errorf("asked of %d paths, most of them when it was closed", n)
	}
}
