package watcher

import (
	"errors"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// inboxLimit is the number of paths above which keeping them apart costs more
// than comparing everything once.
const inboxLimit = 1 << 16

// An inbox takes file system events as fast as they come and merges them by
// path. The order of events is of no use: what counts is what stands on the
// disk when they are looked at.
type inbox struct {
	wake chan struct{} // holds a token while there is something to take

	mu   sync.Mutex
	mail mail
}

// mail is what came in since the last take.
type mail struct {
	ops      map[string]fsnotify.Op
	lost     bool // some events are missing: everything has to be compared
	overflow bool // they are missing because the system's queue overflowed
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

// drain moves everything that b sends into the inbox until b is closed. It does
// nothing else: while it waits, the system's queue fills.
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

// fail notes an error of the event source. Whatever it was, events may be
// missing.
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
	default: // there is a token already
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
