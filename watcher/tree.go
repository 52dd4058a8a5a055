package watcher

import (
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"hookwatch/suites/disk"
)

// turnLimit is how often a path is followed anew because directories on its way
// were not watched yet, before it is left for the next poll.
const turnLimit = 50

var errUnsettled = errors.New("directories on the way keep changing")

// A tree knows every path of interest, finds out which of them an event
// concerns, and tells the backlog what stands there.
type tree struct {
	dirs    *directories
	backlog *backlog
	reader  *reader
	now     func() time.Time

	scope  scope
	roots  []*node
	owners map[string]int            // present nodes by path; two where interests overlap
	seen   map[string]disk.Signature // of the content that was last read, by path
	queue  []*node                   // to be looked at
	later  map[*node]bool            // could not be looked at, to be tried at the next poll

	suspicious bool // events were lost: a signature has to prove that nothing happened

	closed <-chan struct{}        // by the watcher; nil: never
	adopt  func(path string) bool // while the interest changes: new, so not reported
}

func newTree(ds *directories, b *backlog, r *reader, now func() time.Time) *tree {
	return &tree{dirs: ds, backlog: b, reader: r, now: now, owners: map[string]int{}, seen: map[string]disk.Signature{}, later: map[*node]bool{}}
}

func (t *tree) files() int { return len(t.owners) }

// halted reports whether nobody wants to know any more what changed.
func (t *tree) halted() bool {
	select {
	case <-t.closed:
		return true
	default:
		return false
	}
}

// refresh gives up all watches and queues everything.
func (t *tree) refresh() {
	t.dirs.reset()
	t.enqueueAll(true)
}

// unwatched reports whether anything has to be polled.
func (t *tree) unwatched() bool {
	return t.dirs.backend == nil || len(t.later) > 0 || len(t.dirs.polled()) > 0
}

// poll queues what the backend does not watch, and tries to watch it.
func (t *tree) poll() {
	for n := range t.later {
		t.enqueue(n, true)
	}
	clear(t.later)
	if t.dirs.backend == nil {
		t.enqueueAll(false)
	}
	for _, d := range t.dirs.polled() {
		t.dirs.unwatch(d)
		for _, n := range d.nodes() {
			t.enqueue(n, false)
		}
	}
}

// apply queues what events may have changed.
func (t *tree) apply(ops map[string]fsnotify.Op) {
	for path, op := range ops {
		if op&(fsnotify.Create|fsnotify.Remove|fsnotify.Rename) != 0 {
			t.dirs.replaced(filepath.Clean(path))
		}
	}
	for path, op := range ops {
		// A write shows in a file's signature, a directory that is put back does not.
		moved := op&(fsnotify.Create|fsnotify.Remove|fsnotify.Rename) != 0
		d, name := t.dirs.at(filepath.Clean(path))
		if d == nil {
			continue
		}
		for n := range d.entries[name] {
			// Some systems call it a write when a directory's entries change;
			// the entries have events of their own.
			if op != fsnotify.Write || n.real == "" {
				// What comes and goes itself shows it in its signature; events of a
				// save come late, and must not be taken for another one.
				n.stirred = n.stirred || moved && !(n.present && !n.linked && n.own() == filepath.Clean(path))
				t.enqueue(n, true)
			}
		}
		for n := range d.trees {
			if n.children[name] == nil {
				c := n.child(name)
				c.stirred = moved
				t.enqueue(c, true)
			}
		}
	}
}

// own is the path by which events name n itself, where no link leads to it.
func (n *node) own() string {
	if n.parent == nil {
		return n.path
	}
	return filepath.Join(n.parent.real, filepath.Base(n.path))
}

func (n *node) child(name string) *node {
	c := &node{path: filepath.Join(n.path, name), parent: n, tree: true}
	n.children[name] = c
	return c
}

// enqueue has n looked at: full by content, otherwise only if its signature
// differs or proves nothing.
func (t *tree) enqueue(n *node, full bool) {
	n.full = n.full || full
	if !n.queued && !n.dead {
		n.queued = true
		t.queue = append(t.queue, n)
	}
}

func (t *tree) enqueueAll(full bool) {
	for _, n := range t.roots {
		t.enqueue(n, full)
	}
}

// locate follows n's path and has every directory on the way watched. It
// follows it again after each new watch, so that nothing can change between the
// look and the watch unseen.
func (t *tree) locate(n *node) (place, error) {
	start, rest := rootOf(n.path), n.path
	if n.parent != nil {
		start, rest = n.parent.real, filepath.Base(n.path)
	}
	for range turnLimit {
		p, err := resolve(t.dirs.disk, start, rest)
		again := t.hold(n, p.lookups)
		if err != nil || !again {
			return p, err
		}
	}
	return place{}, errUnsettled
}

// hold makes n depend on lookups, and reports whether a directory among them
// was not watched before.
func (t *tree) hold(n *node, lookups []lookup) (again bool) {
	if !slices.Equal(n.lookups, lookups) {
		t.dirs.exchange(n, n.lookups, lookups)
		n.lookups = lookups
	}
	for _, l := range lookups {
		again = t.watch(l.dir) || again
	}
	return again
}

func (t *tree) watch(dir string) bool {
	again, evicted := t.dirs.watch(t.dirs.get(dir))
	for _, n := range evicted {
		t.enqueue(n, true)
	}
	return again
}
