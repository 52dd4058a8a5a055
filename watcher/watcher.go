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

// loop is the only goroutine that touches the tree and the backlog. It sleeps
// without a timer as long as everything is watched and nothing is held back.
func (w *Watcher) loop() {
	defer close(w.batches)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		w.absorb()
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
			w.backlog.delivered(batch)
		}
	}
}

// absorb brings the backlog up to date with the events that came in and with
// what is polled.
func (w *Watcher) absorb() {
	w.core.take(w.inbox.take())
	w.work()
}

// work looks at everything that is queued, unless the watcher is closed
// meanwhile.
func (w *Watcher) work() {
	for w.core.step() {
		w.files.Store(int64(w.tree.files()))
		if !w.offer() {
			return
		}
	}
}

// offer hands out what is known in the middle of long work if somebody is
// waiting for it, and reports false once the watcher is closed.
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
		w.backlog.delivered(batch)
	default:
	}
	return true
}

// A Kind says what became of a file since it was last reported.
type Kind int

// The kinds of change.
const (
	Created  Kind = iota + 1 // it was not there
	Modified                 // its content or its execute bit is another
	Removed                  // it is not there any more
	Restored                 // it is as it was, but may have been otherwise for a moment
)

// A Change is one file whose content is not what was last reported, or was not
// for a moment: whoever read it in that moment has to read it again.
//
// Its Digest is that of the content and execute bit: the first 16 bytes of the
// content's SHA-256 in hexadecimal, with an x at the end for a file that anybody
// may execute. A file that is too large or may not be read has a digest of another
// form, "~" and its size and modification time.
type Change struct {
	Path   string // the path of interest, also where a symbolic link leads elsewhere
	Kind   Kind
	Digest string      // "" when removed
	Was    string      // the digest last reported; "" when there was no file
	Mode   fs.FileMode // 0 when removed
}

// A Batch holds changes that belong together in time, ordered by path, each
// path at most once.
type Batch struct {
	At      time.Time // when the first of the changes was noticed
	Changes []Change

	// Overflow tells that the system lost events before this batch, so that
	// everything was compared again.
	Overflow bool
}
