package watcher

import (
	"io/fs"
	"time"
)

// A core determines changes: it takes events and returns batches. It uses neither
// goroutines nor the system's clock nor its disk, so that a test can do anything between
// any two of its steps.
type core struct {
	now     func() time.Time
	backlog *backlog
	tree    *tree

	poll   time.Duration
	pollAt time.Time // next check of paths that are not watched; zero if all are watched
}

func newCore(o Options, d filesystem, b backend, n *notes, now func() time.Time) *core {
	hold := settle
	if b == nil {
		hold += o.Poll // a missing file must be missing in two checks
	}
	c := &core{now: now, backlog: newBacklog(hold), poll: o.Poll}
	c.tree = newTree(newDirectories(d, b, n), c.backlog, newReader(d, o.MaxFileSize), now)
	return c
}

// take queues paths that may have changed, because of the mail or because polling is due.
func (c *core) take(m mail) {
	if m.lost {
		c.backlog.overflow = c.backlog.overflow || m.overflow
		c.rescan()
	}
	// Comparing everything covers these events, except for those that arrived after the
	// comparison.
	c.tree.apply(m.ops)
	if !c.pollAt.IsZero() && !c.now().Before(c.pollAt) {
		c.tree.poll()
		c.pollAt = time.Time{}
	}
}

// rescan queues everything, to be compared and watched again.
func (c *core) rescan() {
	c.tree.refresh()
	c.tree.suspicious = true
}

// step processes one queued path, and reports whether there was one.
func (c *core) step() bool {
	if c.tree.step() {
		return true
	}
	if c.tree.suspicious {
		c.tree.suspicious = false
		c.backlog.settleOverflow()
	}
	switch {
	case !c.tree.needsPolling():
		c.pollAt = time.Time{}
	case c.pollAt.IsZero():
		c.pollAt = c.now().Add(c.poll)
	}
	return false
}

// wakeAt returns when there is something to do without new events.
func (c *core) wakeAt(now time.Time) (time.Time, bool) {
	at, ok := c.backlog.next(now)
	if !c.pollAt.IsZero() && (!ok || c.pollAt.Before(at)) {
		return c.pollAt, true
	}
	return at, ok
}

// Options configures a Watcher.
type Options struct {
	Interest Interest

	// Poll is the interval for checking directories that cannot be watched; 0 means 500 ms.
	Poll time.Duration

	// ForcePoll polls everything, as on a file system that sends no events.
	ForcePoll bool

	// MaxFileSize is the size in bytes above which a file is identified by size and
	// modification time instead of its content; 0 means 8 MiB.
	MaxFileSize int64

	// Open opens a saved file by its path without symbolic links. It must not wait if the file
	// is a pipe. If it is nil, the system's is used.
	Open func(path string) (fs.File, error)

	// Note, if set, receives messages for the user, each once: a limit of the system that was
	// reached and how to raise it. It is called from New and from the watcher's goroutine, and
	// must not call back.
	Note func(text string)
}

const (
	defaultPoll    = 500 * time.Millisecond
	defaultMaxSize = 8 << 20

	// settle is how long a missing or empty file is held back. Editors and git need
	// microseconds from unlinking or truncating to the new content.
	settle = 20 * time.Millisecond

	// offerEvery is how often long work pauses to report the changes found so far.
	offerEvery = time.Millisecond
)

// A filesystem is the part of a file system that the watcher uses. The watcher follows
// symbolic links itself, one name at a time.
type filesystem interface {
	Lstat(path string) (fs.FileInfo, error)
	Readlink(path string) (string, error)
	ReadDir(path string) ([]fs.DirEntry, error)
	Open(path string) (fs.File, error)
}
