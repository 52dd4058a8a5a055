//go:build linux

package watcher

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A memory is a disk in memory that reports changes like inotify does through fsnotify: to
// the watch of the directory, under the name that the directory had when the watch began,
// in a queue of limited length.
type memory struct {
	now     time.Time
	root    *inode
	last    uint64
	watches map[string]*inode // by the path that was added
	queue   []fsnotify.Event
	limit   int
	lost    bool
}

type inode struct {
	id       uint64
	mode     fs.FileMode
	text     string // of a file, or the target of a link
	entries  map[string]*inode
	modified time.Time
	changed  time.Time
}

func newMemory(limit int) *memory {
	m := &memory{now: time.Unix(1_700_000_000, 0), watches: map[string]*inode{}, limit: limit}
	m.root = m.inode(fs.ModeDir|0o755, "")
	return m
}

func (m *memory) inode(mode fs.FileMode, text string) *inode {
	m.last++
	n := &inode{id: m.last, mode: mode, text: text, modified: m.now, changed: m.now}
	if mode.IsDir() {
		n.entries = map[string]*inode{}
	}
	return n
}

// find resolves a path, including its last name if that is a link and follow is set. It
// returns the directory of the last name, and its inode.
func (m *memory) find(p string, follow bool) (dir *inode, name string, found *inode) {
	above := []*inode{m.root}
	todo := strings.FieldsFunc(p, func(r rune) bool { return r == '/' })
	found = m.root
	for hops := 0; len(todo) > 0; {
		name, todo = todo[0], todo[1:]
		dir = above[len(above)-1]
		if name == ".." {
			above = above[:max(1, len(above)-1)]
			found = above[len(above)-1]
			continue
		}
		found = dir.entries[name]
		switch {
		case found == nil:
			if len(todo) > 0 {
				dir = nil
			}
			return dir, name, nil
		case found.mode&fs.ModeSymlink != 0 && (follow || len(todo) > 0):
			if hops++; hops > 40 {
				return nil, name, nil
			}
			todo = append(strings.FieldsFunc(found.text, func(r rune) bool { return r == '/' }), todo...)
			found = dir
		case found.mode.IsDir():
			above = append(above, found)
		case len(todo) > 0:
			return nil, name, nil
		}
	}
	return dir, name, found
}

// report reports an event for a name in a directory.
func (m *memory) report(dir *inode, name string, op fsnotify.Op) {
	for p, n := range m.watches {
		if n == dir {
			m.push(fsnotify.Event{Name: path.Join(p, name), Op: op})
		}
	}
}

func (m *memory) push(e fsnotify.Event) {
	if len(m.queue) >= m.limit {
		m.lost = true
		return
	}
	m.queue = append(m.queue, e)
}

// gone ends the watch of a directory that was removed or moved.
func (m *memory) gone(n *inode, op fsnotify.Op) {
	for p, w := range m.watches {
		if w == n {
			m.push(fsnotify.Event{Name: p, Op: op})
			delete(m.watches, p)
		}
	}
}

// mail returns the content of the queue, as the inbox would merge it.
func (m *memory) mail() mail {
	out := mail{lost: m.lost, overflow: m.lost, ops: map[string]fsnotify.Op{}}
	for _, e := range m.queue {
		out.ops[e.Name] |= e.Op
	}
	m.queue, m.lost = nil, false
	return out
}

// Add, Remove and the other methods make the memory a backend.
func (m *memory) Add(dir string) error {
	_, _, n := m.find(dir, true)
	if n == nil || !n.mode.IsDir() {
		return fs.ErrNotExist
	}
	for p, w := range m.watches {
		if w == n {
			delete(m.watches, p) // the system has one watch per directory
		}
	}
	m.watches[dir] = n
	return nil
}

func (m *memory) Remove(dir string) error {
	delete(m.watches, dir)
	return nil
}

func (m *memory) Close() error                  { return nil }
func (m *memory) events() <-chan fsnotify.Event { return nil }
func (m *memory) failures() <-chan error        { return nil }

// The methods below make it a disk.

func (m *memory) Lstat(p string) (fs.FileInfo, error) {
	_, name, n := m.find(p, false)
	if n == nil {
		return nil, &fs.PathError{Op: "lstat", Path: p, Err: fs.ErrNotExist}
	}
	return facts(name, n), nil
}

func (m *memory) Readlink(p string) (string, error) {
	_, _, n := m.find(p, false)
	if n == nil || n.mode&fs.ModeSymlink == 0 {
		return "", &fs.PathError{Op: "readlink", Path: p, Err: fs.ErrNotExist}
	}
	return n.text, nil
}

func (m *memory) ReadDir(p string) ([]fs.DirEntry, error) {
	_, _, n := m.find(p, true)
	if n == nil || !n.mode.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: p, Err: fs.ErrNotExist}
	}
	var out []fs.DirEntry
	for name, e := range n.entries {
		out = append(out, fs.FileInfoToDirEntry(facts(name, e)))
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

func (m *memory) Open(p string) (fs.File, error) {
	_, name, n := m.find(p, true)
	if n == nil {
		return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
	}
	return &openFile{facts(name, n), bytes.NewReader([]byte(n.text))}, nil
}

type openFile struct {
	info fileFacts
	io.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

type fileFacts struct {
	name     string
	mode     fs.FileMode
	size     int64
	modified time.Time
	sys      *syscall.Stat_t
}

func facts(name string, n *inode) fileFacts {
	s := &syscall.Stat_t{Dev: 1, Ino: n.id}
	s.Ctim = syscall.NsecToTimespec(n.changed.UnixNano())
	return fileFacts{name, n.mode, int64(len(n.text)), n.modified, s}
}

func (f fileFacts) Name() string       { return f.name }
func (f fileFacts) Size() int64        { return f.size }
func (f fileFacts) Mode() fs.FileMode  { return f.mode }
func (f fileFacts) ModTime() time.Time { return f.modified }
func (f fileFacts) IsDir() bool        { return f.mode.IsDir() }
func (f fileFacts) Sys() any           { return f.sys }
