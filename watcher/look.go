package watcher

import (
	"path/filepath"

	"hookwatch/suites/disk"
)

// look finds out what stands at n. An error says that this is not known, and
// leaves everything as it was.
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

// lookFile compares the file p with what the backlog has for n.
func (t *tree) lookFile(n *node, p place, full bool) (err error) {
	if !full && n.present && !n.racy && n.sig == disk.SignatureOf(p.info) {
		return nil
	}
	// Another part of the interest may have found and reported it already, or that of
	// an interest before this one, whose place this node takes.
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
	if s.digest == "" { // gone since it was found
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

// lookDir queues everything that is in the directory p, or was in it.
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
	t.watch(n.real) // before reading it: what comes later has an event
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

// vanish notes that neither a file nor a directory of interest is at n. Below a
// directory that is the end of the node, as an event brings a new one; except
// for a link, since what it leads to may appear anywhere.
func (t *tree) vanish(n *node, p place) {
	if n.stirred && !n.present && n.real == "" && p.info == nil && t.scope.covers(n.path) {
		t.backlog.stir(n.path, state{}, t.now()) // it came and went
	}
	n.stirred = false
	t.leaveFile(n)
	t.leaveDir(n)
	if n.parent != nil && p.links == 0 {
		delete(n.parent.children, filepath.Base(n.path))
		t.bury(n)
	}
}

// drop ends a node and everything below it.
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

// leaveDir ends what n was as a directory.
func (t *tree) leaveDir(n *node) {
	for _, c := range n.children {
		t.drop(c)
	}
	if n.real != "" {
		t.dirs.discharge(n, n.real)
	}
	n.real, n.children = "", nil
}

// leaveFile ends what n was as a file.
func (t *tree) leaveFile(n *node) {
	if !n.present {
		return
	}
	n.present = false
	if t.owners[n.path]--; t.owners[n.path] > 0 {
		return // another part of the interest finds out by itself
	}
	delete(t.owners, n.path)
	delete(t.seen, n.path)
	if t.scope.covers(n.path) {
		t.saw(n.path, state{})
	} else {
		t.backlog.forget(n.path)
	}
}

// saw tells the backlog what stands at path.
func (t *tree) saw(path string, s state) {
	if t.adopt != nil && !t.backlog.knows(path) && t.adopt(path) {
		t.backlog.baseline(path, s)
		return
	}
	t.backlog.observe(path, s, t.now())
}

// mayEnter reports whether the directory p, at n, may be descended into: not if
// a link leads back to where it came from, nor behind too many links.
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
		if within(up.real, p.real) {
			return false
		}
	}
	return n.links <= maxLinks
}

// step looks at one queued node, and reports whether there was one.
func (t *tree) step() bool {
	if len(t.queue) == 0 {
		t.queue = nil // let go of what a burst needed
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

// retarget replaces the scope, and looks at all of the new one.
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
	for !t.halted() && t.step() {
	}
	for _, n := range old { // last, so that no watch in use was given up
		t.drop(n)
	}
	t.adopt = nil
}
