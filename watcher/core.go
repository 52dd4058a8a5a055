package watcher

import (
	"io/fs"
	"time"
)

// A core decides what changed: events go in, batches come out. It knows neither
// goroutines nor the system's clock nor its disk, so that a test can let
// anything happen between any two of its steps.
type core struct {
	now     func() time.Time
	backlog *backlog
	tree    *tree

	poll   time.Duration
	pollAt time.Time // next look at what is not watched; zero when all is
}

func newCore(o Options, d filesystem, b backend, n *notes, now func() time.Time) *core {
	hold := settle
	if b == nil {
		hold += o.Poll // a missing file has to be missing at two looks
	}
	c := &core{now: now, backlog: newBacklog(hold), poll: o.Poll}
	c.tree = newTree(newDirectories(d, b, n), c.backlog, newReader(d, o.MaxFileSize), now)
	return c
}

// take queues what the mail, or the time, says may have changed.
func (c *core) take(m mail) {
	if m.lost {
		c.backlog.overflow = c.backlog.overflow || m.overflow
		c.rescan()
	}
	// Nothing that these could tell is missed by comparing everything, but one of
	// them may be younger than the comparison.
	c.tree.apply(m.ops)
	if !c.pollAt.IsZero() && !c.now().Before(c.pollAt) {
		c.tree.poll()
		c.pollAt = time.Time{}
	}
}

// rescan queues everything, to be compared and to be watched anew.
func (c *core) rescan() {
	c.tree.refresh()
	c.tree.suspicious = true
}

// step looks at one thing that is queued, and reports whether there was one.
func (c *core) step() bool {
	if c.tree.step() {
		return true
	}
	if c.tree.suspicious {
		c.tree.suspicious = false
		c.backlog.settleOverflow()
	}
	switch {
	case !c.tree.unwatched():
		c.pollAt = time.Time{}
	case c.pollAt.IsZero():
		c.pollAt = c.now().Add(c.poll)
	}
	return false
}

// wakeAt returns when there is something to do without being told to.
func (c *core) wakeAt(now time.Time) (time.Time, bool) {
	at, ok := c.backlog.next(now)
	if !c.pollAt.IsZero() && (!ok || c.pollAt.Before(at)) {
		return c.pollAt, true
	}
	return at, ok
}

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
