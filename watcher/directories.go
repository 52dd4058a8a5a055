package watcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/fsnotify/fsnotify"

	"hookwatch/suites/disk"
)

// watchPassing is whether directories that are only on the way to a file are watched as
// well, so that a rename of an ancestor is noticed. On other systems a watch opens every
// file of a directory, which is too much for a home or root directory.
const watchPassing = runtime.GOOS == "linux" || runtime.GOOS == "windows"

// A nodeSet has no values, because a directory above thousands of nodes contains all of them.
type nodeSet map[*node]struct{}

// A directory is a real directory, its path free of symbolic links, in which names are
// looked up.
type directory struct {
	path    string
	entries map[string]nodeSet // nodes that looked up a name
	trees   nodeSet            // nodes that need every name
	needed  int                // number of lookups that are not merely passing, and of trees

	watched bool
	id      disk.FileID // set when watched
	err     error       // why it is not watched; also nil before the first attempt
}

func (d *directory) isUnused() bool { return len(d.entries) == 0 && len(d.trees) == 0 }

// nodes returns all nodes that depend on the directory, some of them twice.
func (d *directory) nodes() []*node {
	var all []*node
	for _, of := range d.entries {
		for n := range of {
			all = append(all, n)
		}
	}
	for n := range d.trees {
		all = append(all, n)
	}
	return all
}

// Directories are all directories in which names are looked up. The backend watches some
// of them.
type directories struct {
	disk    filesystem
	backend backend // nil if nothing is watched
	notes   *notes
	all     map[string]*directory
	byID    map[disk.FileID]*directory // the watched ones, if files have an ID
	failed  map[*directory]bool        // directories that could not be watched
}

func newDirectories(on filesystem, b backend, n *notes) *directories {
	return &directories{on, b, n, map[string]*directory{}, map[disk.FileID]*directory{}, map[*directory]bool{}}
}

// get returns the directory at path, which it creates if there is none.
func (ds *directories) get(path string) *directory {
	d := ds.all[path]
	if d == nil {
		d = &directory{path: path, entries: map[string]nodeSet{}, trees: nodeSet{}}
		ds.all[path] = d
	}
	return d
}

// depend notes that n was found through l.
func (ds *directories) depend(n *node, l lookup) {
	d := ds.get(l.dir)
	if d.entries[l.name] == nil {
		d.entries[l.name] = nodeSet{}
	}
	d.entries[l.name][n] = struct{}{}
	if !l.passing {
		d.needed++
	}
}

// release reverts depend. The directory and its watch remain until leave.
func (ds *directories) release(n *node, l lookup) {
	d := ds.all[l.dir]
	delete(d.entries[l.name], n)
	if len(d.entries[l.name]) == 0 {
		delete(d.entries, l.name)
	}
	if !l.passing {
		d.needed--
	}
}

// exchange replaces the lookups of n. A directory that occurs in both keeps its watch.
func (ds *directories) exchange(n *node, old, lookups []lookup) {
	for _, l := range old {
		ds.release(n, l)
	}
	for _, l := range lookups {
		ds.depend(n, l)
	}
	for _, l := range old {
		ds.leave(l.dir)
	}
}

// enlist notes that n needs every entry of the directory at path.
func (ds *directories) enlist(n *node, path string) {
	d := ds.get(path)
	d.trees[n] = struct{}{}
	d.needed++
}

// discharge reverts enlist.
func (ds *directories) discharge(n *node, path string) {
	d := ds.all[path]
	delete(d.trees, n)
	d.needed--
	ds.leave(path)
}

// leave drops the directory at path if it has no lookups any more.
func (ds *directories) leave(path string) {
	if d := ds.all[path]; d != nil && d.isUnused() {
		ds.unwatch(d)
		delete(ds.all, d.path)
	}
}

// watch makes the backend watch d, and reports whether data read from it earlier must be
// read again. It also returns the nodes of a directory that lost its watch, which must be
// checked again too.
func (ds *directories) watch(d *directory) (again bool, evicted []*node) {
	if ds.backend == nil || d.watched || d.err != nil || d.needed == 0 && !watchPassing {
		return false, nil
	}
	info, err := ds.disk.Lstat(d.path)
	if err != nil {
		return false, nil // an event of its parent will report it
	}
	id := disk.IDOf(info)
	if other := ds.byID[id]; other != nil && other != d {
		if evicted, err = ds.evict(other, id); err != nil {
			ds.fail(d, err)
			return false, nil
		}
	}
	if err := ds.backend.Add(d.path); err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsnotify.ErrClosed) {
			return false, evicted
		}
		ds.fail(d, err)
		return false, evicted
	}
	d.watched, d.id = true, id
	if id != (disk.FileID{}) {
		ds.byID[id] = d
	}
	return true, evicted
}

// evict removes the watch of a directory that seems to have been moved, because the system
// has only one watch per directory, independent of its name. It returns an error if the
// directory still exists: then it is mounted in two places.
func (ds *directories) evict(d *directory, id disk.FileID) ([]*node, error) {
	if info, err := ds.disk.Lstat(d.path); err == nil {
		if disk.IDOf(info) == id {
			return nil, fmt.Errorf("it is the same directory as %s, which is watched", d.path)
		}
	}
	ds.unwatch(d)
	return d.nodes(), nil
}

func (ds *directories) fail(d *directory, err error) {
	d.err = err
	ds.failed[d] = true
	if ds.matters(d) {
		ds.notes.reportUnwatched(d.path, err)
	}
}

// matters reports whether a directory that cannot be watched must be polled. An unreadable
// directory that is only passed through need not be.
func (ds *directories) matters(d *directory) bool {
	return d.needed > 0 || isExhausted(d.err)
}

// polledDirs returns the directories that must be checked periodically, because the backend
// cannot watch them.
func (ds *directories) polledDirs() []*directory {
	var all []*directory
	for d := range ds.failed {
		if ds.matters(d) {
			all = append(all, d)
		}
	}
	return all
}

// unwatch removes the watch of d, or the error of an attempt to watch it.
func (ds *directories) unwatch(d *directory) {
	if d.watched {
		// The watch may already be gone with its directory, which is fine.
		_ = ds.backend.Remove(d.path)
		if ds.byID[d.id] == d {
			delete(ds.byID, d.id)
		}
	}
	d.watched, d.err = false, nil
	delete(ds.failed, d)
}

// replace removes the watches of path and of everything below it: another directory may
// be there now, even with the same ID, or the same one may have been moved away and back,
// which ends its watch too.
func (ds *directories) replace(path string) {
	if ds.all[path] == nil {
		return // every ancestor of a directory in use is in use
	}
	for p, d := range ds.all {
		if isWithin(p, path) {
			ds.unwatch(d)
		}
	}
}

// reset removes every watch.
func (ds *directories) reset() {
	for _, d := range ds.all {
		ds.unwatch(d)
	}
}

// at returns the directory of an event on path and the entry in it, or nil if there are no
// lookups in it.
func (ds *directories) at(path string) (*directory, string) {
	return ds.all[filepath.Dir(path)], filepath.Base(path)
}

// A node is a path that may be a file of interest or, below a directory of interest, a
// directory that contains some.
type node struct {
	path   string // as in the interest
	parent *node  // nil for a root: a path of the interest itself
	tree   bool   // if it is a directory, it is searched

	lookups  []lookup
	links    int // links to directories between the root and this node
	real     string
	children map[string]*node // by name; set only while it is a directory, as real is

	present bool // it is a file, and counted in tree.owners
	sig     disk.Signature
	racy    bool // the file may change without a change of sig
	linked  bool // it was found through a symbolic link

	stirred bool // it, or a directory on its way, was created, removed or renamed

	queued, full, dead bool
}

// hopLimit is the number of symbolic links after which the system also stops.
const hopLimit = 40

// A lookup is one entry of one real directory that was read while resolving a path. The
// result of resolving changes only if one of its lookups changes.
type lookup struct {
	dir, name string

	// passing marks a plain directory that is only on the way: if the directory that contains
	// it cannot be watched, only a rename of an ancestor goes unnoticed.
	passing bool
}

// A place is the result of resolving a path.
type place struct {
	lookups []lookup    // in order, each once; the last one failed if info is nil
	real    string      // the path without symbolic links
	info    fs.FileInfo // of real; nil if there is no file
	links   int         // number of symbolic links on the way
}

// resolve follows rest from the real directory start, including symbolic links, as the
// system would. A missing file is not an error; an error means that the result is
// currently unknown. The paths in the result are parts of known where they can be.
func resolve(on filesystem, start, rest, known string) (place, error) {
	todo := split(rest)
	p := place{real: start, lookups: make([]lookup, 0, len(todo))}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if name == ".." { // in a link's target; p.real is free of links
			p.real, p.info = filepath.Dir(p.real), nil
			continue
		}
		full := join(p.real, name, known)
		info, err := on.Lstat(full)
		p.add(lookup{p.real, name, err == nil && info.IsDir() && len(todo) > 0})
		switch {
		case err != nil:
			p.info = nil
			return p, unlessGone(err)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := on.Readlink(full)
			if p.links++; err != nil || p.links > hopLimit {
				p.info = nil
				return p, unlessGone(err)
			}
			if filepath.IsAbs(target) {
				p.real = rootOf(target)
			}
			todo, p.info = slices.Concat(split(target), todo), nil
		case !info.IsDir() && len(todo) > 0: // a file instead of a directory
			p.info = nil
			return p, nil
		default:
			p.real, p.info = full, info
		}
	}
	if p.info != nil {
		return p, nil
	}
	info, err := on.Lstat(p.real)
	if err != nil {
		return p, unlessGone(err)
	}
	p.info = info
	return p, nil
}

// join returns the path of an entry of a directory, without a copy if it is the beginning of
// known: thousands of files have the same directories above them.
func join(dir, name, known string) string {
	end := len(dir) + 1 + len(name)
	if dir == rootOf(dir) {
		end-- // it ends in a separator itself
	}
	if len(known) >= end && strings.HasPrefix(known, dir) && os.IsPathSeparator(known[end-len(name)-1]) && known[end-len(name):end] == name {
		return known[:end]
	}
	return filepath.Join(dir, name)
}

func (p *place) add(l lookup) {
	for i := range p.lookups {
		if have := &p.lookups[i]; have.dir == l.dir && have.name == l.name {
			have.passing = have.passing && l.passing
			return
		}
	}
	p.lookups = append(p.lookups, l)
}

// rootOf returns the root directory of an absolute path.
func rootOf(path string) string {
	return filepath.VolumeName(path) + string(filepath.Separator)
}

// split returns the names in a path, without empty ones and dots.
func split(path string) []string {
	path = path[len(filepath.VolumeName(path)):]
	names := strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
	return slices.DeleteFunc(names, func(n string) bool { return n == "." })
}

// unlessGone returns nil for an error that means that there is no accessible file at a
// path, and err for one that may be temporary, such as too many open files.
func unlessGone(err error) error {
	for _, gone := range []error{fs.ErrNotExist, fs.ErrPermission, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EINVAL} {
		if errors.Is(err, gone) {
			return nil
		}
	}
	return err
}
