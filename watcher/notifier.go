package watcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A backend reports changes of the entries of single directories.
type backend interface {
	Add(dir string) error
	Remove(dir string) error
	Close() error // closes both channels
	events() <-chan fsnotify.Event
	failures() <-chan error
}

// A notifier is the system's own backend.
type notifier struct{ *fsnotify.Watcher }

func openNotifier() (backend, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return notifier{w}, nil
}

func (n notifier) events() <-chan fsnotify.Event { return n.Events }
func (n notifier) failures() <-chan error        { return n.Errors }

// Notes inform the user, once for each cause, that files are polled and why.
type notes struct {
	send func(string)
	poll time.Duration
	sent map[string]bool
}

// noEvents reports that the system sends no events at all.
func (n *notes) noEvents(err error) {
	text := fmt.Sprintf("file events are not available: %v; files are compared every %v", err, n.poll)
	if runtime.GOOS == "linux" && errors.Is(err, syscall.EMFILE) {
		text += "; to watch again: sysctl fs.inotify.max_user_instances=1024, or a higher ulimit -n"
	}
	n.reportOnce("events", text)
}

// reportUnwatched reports that a directory sends no events.
func (n *notes) reportUnwatched(dir string, err error) {
	text := fmt.Sprintf("%s cannot be watched: %v; such directories are compared every %v", dir, err, n.poll)
	if isExhausted(err) && runtime.GOOS == "linux" {
		text += "; to watch again: sysctl fs.inotify.max_user_watches=1048576"
	}
	n.reportOnce(err.Error(), text)
}

func (n *notes) reportOnce(cause, text string) {
	if n.send == nil || n.sent[cause] {
		return
	}
	if n.sent == nil {
		n.sent = map[string]bool{}
	}
	n.sent[cause] = true
	n.send(text)
}

// isExhausted reports whether err is a limit that was reached, on inotify watches (ENOSPC)
// or on open files, which other systems use to watch.
func isExhausted(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// inboxLimit is the number of paths above which storing them costs more than comparing
// everything once.
const inboxLimit = 1 << 16

// An inbox receives file system events as fast as they arrive and merges them by path.
// Their order is irrelevant, because only the content on the disk at the time of the check
// counts.
type inbox struct {
	wake chan struct{} // has a token while there is something to take

	mu   sync.Mutex
	mail mail
}

// mail is what arrived since the last take.
type mail struct {
	ops      map[string]fsnotify.Op
	lost     bool // some events are missing: everything must be compared
	overflow bool // they are missing because the system's queue overflowed
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

// drain moves all events from b into the inbox until b is closed. It does nothing else,
// because the system's queue fills while it is busy.
func (i *inbox) drain(b backend) {
	events, failures := b.events(), b.failures()
	for events != nil || failures != nil {
		select {
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			i.put(e)
		case err, ok := <-failures:
			if !ok {
				failures = nil
				continue
			}
			i.fail(err)
		}
	}
}

func (i *inbox) put(e fsnotify.Event) {
	i.mu.Lock()
	if i.mail.ops == nil {
		i.mail.ops = map[string]fsnotify.Op{}
	}
	i.mail.ops[e.Name] |= e.Op
	if len(i.mail.ops) > inboxLimit {
		i.mail = mail{lost: true, overflow: i.mail.overflow}
	}
	i.mu.Unlock()
	i.ring()
}

// fail notes an error of the event source. After any error, events may be missing.
func (i *inbox) fail(err error) {
	i.mu.Lock()
	i.mail.lost = true
	i.mail.overflow = i.mail.overflow || errors.Is(err, fsnotify.ErrEventOverflow)
	i.mu.Unlock()
	i.ring()
}

func (i *inbox) ring() {
	select {
	case i.wake <- struct{}{}:
	default: // there already is a token
	}
}

// take empties the inbox.
func (i *inbox) take() mail {
	i.mu.Lock()
	defer i.mu.Unlock()
	m := i.mail
	i.mail = mail{}
	return m
}

// A system is the real file system.
type system struct {
	open func(path string) (fs.File, error) // nil means openNonblocking
}

func (system) Lstat(path string) (fs.FileInfo, error)     { return os.Lstat(path) }
func (system) Readlink(path string) (string, error)       { return os.Readlink(path) }
func (system) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }

func (s system) Open(path string) (fs.File, error) {
	if s.open != nil {
		return s.open(path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe may have replaced the file
	if err != nil {
		return nil, err
	}
	return f, nil
}
