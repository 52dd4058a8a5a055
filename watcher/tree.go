package watcher

import (
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"hookwatch/suites/disk"
)

// turnLimit is how often a path is resolved again because directories on its way were not
// watched yet, before it is left for the next poll.
const turnLimit = 50

var errUnsettled = errors.New("directories on the way keep changing")

// A tree contains every path of interest, finds the paths affected by an event, and passes
// their states to the backlog.
type tree struct {
	dirs    *directories
	backlog *backlog
	reader  *reader
	now     func() time.Time

	scope  scope
	roots  []*node
	owners map[string]int            // present nodes by path; two if interests overlap
	seen   map[string]disk.Signature // of the content that was last read, by path
	queue  []*node                   // to be checked
	later  map[*node]bool            // nodes whose check failed, to be repeated at the next poll

	suspicious bool // events were lost: a reliable signature is needed to exclude a change

	closed <-chan struct{} // closed by the watcher; nil means never
	// Set while the interest changes: reports whether a path is new and so not reported.
	adopt func(path string) bool
}

func newTree(ds *directories, b *backlog, r *reader, now func() time.Time) *tree {
	return &tree{dirs: ds, backlog: b, reader: r, now: now, owners: map[string]int{}, seen: map[string]disk.Signature{}, later: map[*node]bool{}}
}

func (t *tree) files() int { return len(t.owners) }

// isHalted reports whether the watcher is closed.
func (t *tree) isHalted() bool {
	select {
	case <-t.closed:
		return true
	default:
		return false
	}
}

// refresh removes all watches and queues everything.
func (t *tree) refresh() {
	t.dirs.reset()
	t.enqueueAll(true)
}

// needsPolling reports whether anything must be polled.
func (t *tree) needsPolling() bool {
	return t.dirs.backend == nil || len(t.later) > 0 || len(t.dirs.polledDirs()) > 0
}

// poll queues paths that the backend does not watch, and tries to watch them.
func (t *tree) poll() {
	for n := range t.later {
		t.enqueue(n, true)
	}
	clear(t.later)
	if t.dirs.backend == nil {
		t.enqueueAll(false)
	}
	for _, d := range t.dirs.polledDirs() {
		t.dirs.unwatch(d)
		for _, n := range d.nodes() {
			t.enqueue(n, false)
		}
	}
}

// apply queues paths that events may have changed.
func (t *tree) apply(ops map[string]fsnotify.Op) {
	for path, op := range ops {
		if op&(fsnotify.Create|fsnotify.Remove|fsnotify.Rename) != 0 {
			t.dirs.replace(filepath.Clean(path))
		}
	}
	for path, op := range ops {
		// A write changes a file's signature; moving a directory away and back does not.
		moved := op&(fsnotify.Create|fsnotify.Remove|fsnotify.Rename) != 0
		d, name := t.dirs.at(filepath.Clean(path))
		if d == nil {
			continue
		}
		for n := range d.entries[name] {
			// Some systems report a write if a directory's entries change; the entries have
			// events of their own.
			if op != fsnotify.Write || n.real == "" {
				// A file that was itself created or removed has another signature. Events of a
				// save arrive late, and must not be treated as another save.
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

// own returns the path that events use for n itself, if no link leads to it.
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

// enqueue queues n to be checked: by content if full is set, or else only if its signature
// differs or is unreliable.
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

// locate resolves n's path and watches every directory on the way. It resolves it again
// after each new watch, so that no change between resolving and watching is missed.
func (t *tree) locate(n *node) (place, error) {
	start, rest := rootOf(n.path), n.path
	if n.parent != nil {
		start, rest = n.parent.real, filepath.Base(n.path)
	}
	for range turnLimit {
		p, err := resolve(t.dirs.disk, start, rest, n.path)
		again := t.hold(n, p.lookups)
		if err != nil || !again {
			return p, err
		}
	}
	return place{}, errUnsettled
}

// hold makes n depend on lookups, and reports whether a directory among them was not
// watched before.
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

// look checks n. An error means that its state is unknown; then nothing changes.
func (t *tree) look(n *node, full bool) error {
	p, err := t.locate(n)
	if err != nil {
		return err
	}
	switch {
	case p.info == nil || t.scope.ignore(n.path, p.info.IsDir()):
	case p.info.Mode().IsRegular():
		return t.lookFile(n, p, full)
	case p.info.IsDir() && n.tree && n.mayEnter(p):
		return t.lookDir(n, p, full)
	}
	t.vanish(n, p)
	return nil
}

// lookFile compares the file p with the state of n in the backlog.
func (t *tree) lookFile(n *node, p place, full bool) (err error) {
	if !full && n.present && !n.racy && n.sig == disk.SignatureOf(p.info) {
		return nil
	}
	// Another part of the interest may have found and reported it already, or the node of a
	// previous interest that this node replaces.
	before, known := t.seen[n.path]
	stirred := n.present && (n.stirred || t.suspicious && n.racy) || known && before != disk.SignatureOf(p.info)
	n.stirred = false
	began := t.now()
	var s state
	var sig disk.Signature
	if t.scope.unread(p.real) {
		s, sig, err = t.reader.unreadable(p.real)
	} else {
		s, sig, err = t.reader.read(p.real)
	}
	if err != nil {
		return err
	}
	if s.digest == "" { // removed since it was found
		t.vanish(n, p)
		return nil
	}
	t.leaveDir(n)
	n.sig, n.racy, n.linked = sig, sig.Racy(began), p.links > 0
	t.seen[n.path] = sig
	if !n.present {
		n.present = true
		t.owners[n.path]++
	}
	t.saw(n.path, s)
	if stirred {
		t.backlog.stir(n.path, s, t.now())
	}
	return nil
}

// lookDir queues all entries of the directory p, and those that were in it before.
func (t *tree) lookDir(n *node, p place, full bool) error {
	t.leaveFile(n)
	if n.real != p.real {
		children := n.children // by name they may be here too
		n.children = nil
		t.leaveDir(n)
		n.real, n.children = p.real, children
		t.dirs.enlist(n, p.real)
	}
	if n.children == nil {
		n.children = map[string]*node{}
	}
	t.watch(n.real) // before reading it: later changes have an event
	entries, err := t.dirs.disk.ReadDir(n.real)
	for _, e := range entries {
		if n.children[e.Name()] == nil {
			n.child(e.Name())
		}
	}
	for _, c := range n.children {
		c.stirred = c.stirred || n.stirred
		t.enqueue(c, full)
	}
	n.stirred = false
	return unlessGone(err)
}

// vanish notes that neither a file nor a directory of interest is at n. Below a directory
// this drops the node, because an event creates a new one. Links are kept, because their
// target may appear anywhere.
func (t *tree) vanish(n *node, p place) {
	if n.stirred && !n.present && n.real == "" && p.info == nil && t.scope.covers(n.path) {
		t.backlog.stir(n.path, state{}, t.now()) // it was created and removed again
	}
	n.stirred = false
	t.leaveFile(n)
	t.leaveDir(n)
	if n.parent != nil && p.links == 0 {
		delete(n.parent.children, filepath.Base(n.path))
		t.bury(n)
	}
}

// drop removes a node and everything below it.
func (t *tree) drop(n *node) {
	t.leaveFile(n)
	t.leaveDir(n)
	t.bury(n)
}

func (t *tree) bury(n *node) {
	n.dead = true
	t.dirs.exchange(n, n.lookups, nil)
	n.lookups = nil
}

// leaveDir removes the state of n as a directory.
func (t *tree) leaveDir(n *node) {
	for _, c := range n.children {
		t.drop(c)
	}
	if n.real != "" {
		t.dirs.discharge(n, n.real)
	}
	n.real, n.children = "", nil
}

// leaveFile removes the state of n as a file.
func (t *tree) leaveFile(n *node) {
	if !n.present {
		return
	}
	n.present = false
	if t.owners[n.path]--; t.owners[n.path] > 0 {
		return // another part of the interest checks it itself
	}
	delete(t.owners, n.path)
	delete(t.seen, n.path)
	if t.scope.covers(n.path) {
		t.saw(n.path, state{})
	} else {
		t.backlog.forget(n.path)
	}
}

// saw passes the state of path to the backlog.
func (t *tree) saw(path string, s state) {
	if t.adopt != nil && !t.backlog.knows(path) && t.adopt(path) {
		t.backlog.baseline(path, s)
		return
	}
	t.backlog.observe(path, s, t.now())
}

// mayEnter reports whether the directory p, at n, may be searched: not if a link leads
// back to one of its parents, nor behind too many links.
func (n *node) mayEnter(p place) bool {
	n.links = 0
	if n.parent == nil {
		return true
	}
	n.links = n.parent.links
	if p.links == 0 {
		return true
	}
	n.links++
	for up := n.parent; up != nil; up = up.parent {
		if isWithin(up.real, p.real) {
			return false
		}
	}
	return n.links <= maxLinks
}

// step checks one queued node, and reports whether there was one.
func (t *tree) step() bool {
	if len(t.queue) == 0 {
		t.queue = nil // free the memory of a burst
		return false
	}
	n := t.queue[0]
	t.queue = t.queue[1:]
	full := n.full
	n.queued, n.full = false, false
	if n.dead {
		return true
	}
	if err := t.look(n, full); err != nil {
		t.later[n] = true
	}
	return true
}

// retarget replaces the scope, and checks all paths of the new one.
func (t *tree) retarget(s scope) {
	before, old := t.scope, t.roots
	t.scope, t.roots = s, nil
	t.adopt = func(path string) bool { return !before.covers(path) }
	for path := range s.files {
		t.roots = append(t.roots, &node{path: path})
	}
	for path := range s.dirs {
		t.roots = append(t.roots, &node{path: path, tree: true})
	}
	t.enqueueAll(true)
	for !t.isHalted() && t.step() {
	}
	for _, n := range old { // last, so that watches still in use are kept
		t.drop(n)
	}
	t.adopt = nil
}
