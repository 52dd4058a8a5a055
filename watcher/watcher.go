// Package watcher tells which files changed. It turns file system events into
// batches of changes whose content was compared with what was last reported:
// whatever an editor, git or a person does to a path, the question asked is
// always the same, is the content that stands there now different from the one
// reported last?
//
// Directories are watched, never single files, so a save by renaming over, a
// deletion and a re-creation are seen as what they are. There is no debounce:
// a changed file is reported at once, a burst gives several batches, and the
// last of them holds the final content. Only a file that vanished or became
// empty is held back for some milliseconds, because that is how a save looks
// half-way.
//
// A change that the system announces to nobody (a write through a memory map,
// through a hard link in another directory, or by another host on a network
// file system) is seen by polling, and when events were lost.
package watcher

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned by a watcher that was closed.
var ErrClosed = errors.New("watcher is closed")

// A Watcher reports changes of the files of interest until it is closed.
type Watcher struct {
	batches  chan Batch
	requests chan func()
	done     chan struct{}
	closing  sync.Once
	running  sync.WaitGroup
	files    atomic.Int64

	inbox   *inbox
	backend backend // nil when everything is polled

	// Owned by the goroutine of loop once New has returned.
	*core
	offered time.Time
}

// Batches returns the channel of batches; it is closed by Close. While nobody
// receives, changes wait and are merged: of each path only the latest content
// is kept.
func (w *Watcher) Batches() <-chan Batch { return w.batches }

// SetInterest replaces the interest. What was of interest before and still is
// goes on being compared with what was last reported; what is newly of interest
// is taken as it stands when SetInterest returns, and not reported; what no
// longer is of interest is forgotten. On an error the old interest stays.
func (w *Watcher) SetInterest(i Interest) error {
	scope, err := newScope(i)
	if err != nil {
		return err
	}
	return w.request(func() {
		w.tree.retarget(scope)
		w.files.Store(int64(w.tree.files())) // before SetInterest returns
	})
}

// Files returns how many files of interest exist.
func (w *Watcher) Files() int { return int(w.files.Load()) }

// Close stops watching and waits for the watcher's goroutines. Changes that
// were not received are discarded.
func (w *Watcher) Close() error {
	var err error
	w.closing.Do(func() {
		close(w.done)
		if w.backend != nil {
			err = w.backend.Close()
		}
	})
	w.running.Wait()
	if err != nil {
		return fmt.Errorf("close file events: %w", err)
	}
	return nil
}

// request runs f on the watcher's goroutine and waits for it.
func (w *Watcher) request(f func()) error {
	finished := make(chan struct{})
	select {
	case w.requests <- func() { f(); close(finished) }:
	case <-w.done:
		return ErrClosed
	}
	<-finished // loop never leaves between taking a request and running it
	return nil
}
