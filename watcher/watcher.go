// Package watcher reports which files changed. It turns file system events into batches of
// changes by comparing the content of files with the content last reported. This works in
// the same way for every kind of edit by an editor, git or a user.
//
// Directories are watched, never single files, so saves by rename, deletions and
// re-creations are recognized. There is no debounce: a changed file is reported at once, a
// burst results in several batches, and the last of them has the final content. Only a
// file that vanished or became empty is held back for some milliseconds, because an
// incomplete save looks like that.
//
// Changes without an event of the system (a write through a memory map, through a hard
// link in another directory, or by another host on a network file system) are found by
// polling, and when events were lost.
package watcher

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// errClosed is returned by a watcher that was closed.
var errClosed = errors.New("watcher is closed")

// A Watcher reports changes of the files of interest until it is closed.
type Watcher struct {
	batches  chan Batch
	requests chan func()
	done     chan struct{}
	closing  sync.Once
	running  sync.WaitGroup
	files    atomic.Int64

	inbox   *inbox
	backend backend // nil if everything is polled

	// Owned by the goroutine of loop once New has returned.
	*core
	offered time.Time
}

// Batches returns the channel of batches; it is closed by Close. While there is no
// receiver, changes are merged: only the latest content of each path is kept.
func (w *Watcher) Batches() <-chan Batch { return w.batches }

// SetInterest replaces the interest. Files that stay of interest are still compared with
// their last reported content. New ones are not reported; their content when SetInterest
// returns is the baseline. Files that are no longer of interest are dropped. On an error
// the old interest stays.
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

// Files returns the number of existing files of interest.
func (w *Watcher) Files() int { return int(w.files.Load()) }

// Close stops watching and waits for the watcher's goroutines. Changes that were not
// received are discarded.
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
		return errClosed
	}
	<-finished // loop never exits between receiving a request and running it
	return nil
}

// New watches the files in o. Their content when New returns is the baseline: every later
// difference is reported. A caller that reads files should read them after New, so that no
// save happens between its read and the baseline. New returns an error if a path is not
// absolute. If the system has no file events or has reached a limit, New polls instead.
func New(o Options) (*Watcher, error) {
	open := openNotifier
	if o.ForcePoll {
		open = nil
	}
	return start(o, open)
}

func start(o Options, open func() (backend, error)) (*Watcher, error) {
	scope, err := newScope(o.Interest)
	if err != nil {
		return nil, err
	}
	if o.Poll <= 0 {
		o.Poll = defaultPoll
	}
	if o.MaxFileSize <= 0 {
		o.MaxFileSize = defaultMaxSize
	}
	w := &Watcher{
		batches:  make(chan Batch),
		requests: make(chan func()),
		done:     make(chan struct{}),
		inbox:    newInbox(),
	}
	notes := &notes{send: o.Note, poll: o.Poll}
	if open != nil {
		if w.backend, err = open(); err != nil {
			notes.noEvents(err)
		} else {
			w.running.Go(func() { w.inbox.drain(w.backend) })
		}
	}
	w.core = newCore(o, system{o.Open}, w.backend, notes, time.Now)
	w.tree.closed = w.done
	w.tree.retarget(scope)
	w.files.Store(int64(w.tree.files()))
	w.running.Go(w.loop)
	return w, nil
}

// loop is the only goroutine that uses the tree and the backlog. It sleeps without a timer
// while everything is watched and nothing is held back.
func (w *Watcher) loop() {
	defer close(w.batches)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		w.core.take(w.inbox.take())
		w.work()
		now := time.Now()
		var out chan<- Batch
		batch, ready := w.backlog.batch(now)
		if ready {
			out = w.batches
		}
		var alarm <-chan time.Time
		if at, ok := w.core.wakeAt(now); ok {
			timer.Reset(at.Sub(now))
			alarm = timer.C
		}
		select {
		case <-w.done:
			return
		case <-w.inbox.wake:
		case <-alarm:
		case request := <-w.requests:
			request()
		case out <- batch:
			w.backlog.deliver(batch)
		}
	}
}

// work checks everything that is queued, unless the watcher is closed in the meantime.
func (w *Watcher) work() {
	for w.core.step() {
		w.files.Store(int64(w.tree.files()))
		if !w.offer() {
			return
		}
	}
}

// offer sends the changes found so far during long work if a receiver is waiting. It
// returns false once the watcher is closed.
func (w *Watcher) offer() bool {
	now := time.Now()
	if now.Sub(w.offered) < offerEvery {
		return true
	}
	w.offered = now
	var out chan<- Batch
	batch, ready := w.backlog.batch(now)
	if ready {
		out = w.batches
	}
	select {
	case <-w.done:
		return false
	case out <- batch:
		w.backlog.deliver(batch)
	default:
	}
	return true
}

// A Kind is how a file changed since it was last reported.
type Kind int

// The kinds of change.
const (
	Created  Kind = iota + 1 // it did not exist
	Modified                 // its content or its execute bit changed
	Removed                  // it no longer exists
	Restored                 // it is unchanged, but may have been different for a moment
)

// A Change is one file whose content differs from the one last reported, or did for a
// moment: content that was read in that moment must be read again.
//
// Its Digest is that of the content and execute bit: the first 16 bytes of the content's
// SHA-256 in hexadecimal, with an x at the end if any user may execute the file. A file
// that is too large or must not be read has a digest of another form, "~" followed by its
// size and modification time.
type Change struct {
	Path   string // the path of interest, even if it is a symbolic link
	Kind   Kind
	Digest string // "" if removed
	Was    string // the digest last reported; "" if there was no file
}

// A Batch contains changes that belong together in time, ordered by path, each path at
// most once.
type Batch struct {
	At      time.Time // when the first of the changes was noticed
	Changes []Change

	// Overflow reports that the system lost events before this batch, so that everything was
	// compared again.
	Overflow bool
}
