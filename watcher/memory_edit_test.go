//go:build linux

package watcher

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fsnotify/fsnotify"

	"hookwatch/watcher/testdata/editstest"
)

// An editedMemory performs ops on files below base.
type editedMemory struct {
	*memory
	base     string
	branches map[string][]editstest.Op // ops that create the files of a branch
}

// do performs an op on files.
func (m editedMemory) do(o editstest.Op) {
	p, to := path.Join(m.base, o.Path), path.Join(m.base, o.To)
	switch o.Verb {
	case editstest.Truncate:
		m.write(p, func(string) string { return "" })
	case editstest.Append:
		m.write(p, func(old string) string { return old + o.Text })
	case editstest.Overwrite:
		m.write(p, func(string) string { return o.Text })
	case editstest.Copy:
		m.copy(p, to)
	case editstest.Rename:
		m.rename(p, to)
	case editstest.Remove:
		m.removeAll(p)
	case editstest.Mkdir:
		m.mkdir(p)
	case editstest.Symlink:
		m.enter(p, m.inode(fs.ModeSymlink|0o777, o.Text))
	case editstest.Chmod:
		m.alter(p, func(n *inode) { n.mode = n.mode&fs.ModeType | o.Mode })
	case editstest.Chtimes:
		m.alter(p, func(n *inode) { n.modified = m.now.Add(o.By) })
	case editstest.Flood:
		for i := range o.N {
			name := p + strconv.Itoa(i%2) + ".tmp"
			m.write(name, func(string) string { return "" })
			m.removeAll(name)
		}
	case editstest.Checkout:
		for _, op := range m.branches[o.Text] {
			m.checkout(op)
		}
	case editstest.Pause, editstest.Halt, editstest.Resume: // about time and the program
	}
}

// checkout does git's work for one file: nothing if it is unchanged.
func (m editedMemory) checkout(o editstest.Op) {
	_, _, n := m.find(path.Join(m.base, o.Path), false)
	if n != nil && n.text == o.Text && (n.mode&fs.ModeSymlink != 0) == (o.Verb == editstest.Symlink) {
		return
	}
	m.mkdir(path.Dir(path.Join(m.base, o.Path)))
	m.removeAll(path.Join(m.base, o.Path))
	m.do(o)
}

func (m *memory) mkdir(p string) {
	if p == "/" {
		return
	}
	m.mkdir(path.Dir(p))
	if _, _, n := m.find(p, true); n == nil {
		m.enter(p, m.inode(fs.ModeDir|0o755, ""))
	}
}

// enter puts n at p unless there is an entry.
func (m *memory) enter(p string, n *inode) {
	if dir, name, there := m.find(p, false); dir != nil && there == nil {
		dir.entries[name] = n
		m.report(dir, name, fsnotify.Create)
	}
}

func (m *memory) write(p string, text func(string) string) {
	dir, name, n := m.find(p, true)
	if dir == nil || n != nil && !n.mode.IsRegular() {
		return
	}
	if n == nil {
		n = m.inode(0o755, "")
		dir.entries[name] = n
		m.report(dir, name, fsnotify.Create)
	}
	if next := text(n.text); next != n.text {
		n.text = next
		n.modified, n.changed = m.now, m.now
		m.report(dir, name, fsnotify.Write)
	}
}

func (m *memory) alter(p string, f func(*inode)) {
	if dir, name, n := m.find(p, true); n != nil && dir != nil {
		f(n)
		n.changed = m.now
		m.report(dir, name, fsnotify.Chmod)
	}
}

func (m *memory) copy(from, to string) {
	_, _, n := m.find(from, false)
	switch {
	case n == nil:
	case n.mode.IsDir():
		m.enter(to, m.inode(n.mode, ""))
		for _, name := range slices.Sorted(maps.Keys(n.entries)) {
			m.copy(path.Join(from, name), path.Join(to, name))
		}
	case n.mode.IsRegular():
		text := n.text
		m.write(to, func(string) string { return "" })
		m.write(to, func(string) string { return text })
		m.alter(to, func(now *inode) { now.mode = n.mode })
	default:
		m.enter(to, m.inode(n.mode, n.text))
	}
}

func (m *memory) rename(from, to string) {
	dir, name, n := m.find(from, false)
	into, as, there := m.find(to, false)
	switch {
	case n == nil || dir == nil || into == nil || n == there:
		return
	case strings.HasPrefix(to+"/", from+"/"):
		return
	case there != nil && (there.mode.IsDir() != n.mode.IsDir() || len(there.entries) > 0):
		return
	}
	delete(dir.entries, name)
	into.entries[as] = n
	n.changed = m.now
	m.report(dir, name, fsnotify.Rename)
	m.report(into, as, fsnotify.Create)
	if there != nil && there.mode.IsDir() {
		m.gone(there, fsnotify.Remove)
	}
	if n.mode.IsDir() {
		m.gone(n, fsnotify.Rename)
	}
}

func (m *memory) removeAll(p string) {
	dir, name, n := m.find(p, false)
	if n == nil || dir == nil {
		return
	}
	for _, e := range slices.Sorted(maps.Keys(n.entries)) {
		m.removeAll(path.Join(p, e))
	}
	delete(dir.entries, name)
	m.report(dir, name, fsnotify.Remove)
	if n.mode.IsDir() {
		m.gone(n, fsnotify.Remove)
	}
}
