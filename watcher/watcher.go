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
	"io/fs"
	"sync"
	"sync/atomic"
	"time"
)

const (
	defaultPoll    = 500 * time.Millisecond
	defaultMaxSize = 8 << 20

	// settle is how long a missing or empty file is held back. Editors and git
	// need microseconds from unlinking or truncating to the new content.
	settle = 20 * time.Millisecond

	// offerEvery is how often a long piece of work pauses to hand out what it
	// has found so far.
	offerEvery = time.Millisecond
)

// ErrClosed is returned by a watcher that was closed.
var ErrClosed = errors.New("watcher is closed")

// Options say what to watch and how.
type Options struct {
	Interest Interest

	// Poll is the interval at which directories that cannot be watched are
	// looked at; 0 means 500 ms.
	Poll time.Duration

	// ForcePoll polls everything, as on a file system that sends no events.
	ForcePoll bool

	// MaxFileSize, in bytes, is the size above which size and modification
	// time stand for the content; 0 means 8 MiB.
	MaxFileSize int64

	// Open opens a file that was saved, by its path without symbolic links, without
	// waiting for a pipe; nil means that of the system.
	Open func(path string) (fs.File, error)

	// Note, if set, receives lines that a person should read, each once: a
	// limit of the system that was reached and what to do about it. It is
	// called from New and from the watcher's goroutine, and must not call back.
	Note func(text string)
}

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

// New watches what o says. What stands there when New returns is the baseline:
// every later difference is reported. A caller that reads files should read
// them after New, so that no save falls between its reading and the baseline.
// It fails when a path is not absolute; a system without file events, or out
// of them, is no error: polling takes over.
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
	notes := &notes{say: o.Note, poll: o.Poll}
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
	return w.request(func() { w.tree.retarget(scope) })
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
