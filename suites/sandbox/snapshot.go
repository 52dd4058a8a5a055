package sandbox

import (
	"bytes"
	"crypto/sha256"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites"
)

// A snapshot is what a tree holds: by slash path from its top, without it.
type snapshot map[string]entry

// An entry tells whether a file is the one that it was.
type entry struct {
	mode   fs.FileMode
	size   int64
	held   int64 // bytes that it takes up
	mtime  int64 // nanoseconds
	atime  int64
	inode  uint64
	digest [sha256.Size]byte // of small files; clocks can be too coarse
	link   string            // target of a symbolic link
}

// digestAtMost is the size up to which content counts, in bytes.
const digestAtMost = 64 << 10

// takeSnapshot looks at the trees below dir; with no names at all of dir. What cannot be
// read is not in the snapshot.
func takeSnapshot(dir string, names ...string) snapshot {
	s := make(snapshot)
	if len(names) == 0 {
		s.walk(dir, "")
	}
	for _, n := range names {
		s.walk(dir, n)
	}
	return s
}

func (s snapshot) walk(dir, rel string) {
	entries, err := os.ReadDir(filepath.Join(dir, rel) + "/.") // dir may be a link into /proc
	if err != nil {
		return
	}
	for _, e := range entries {
		fi, err := e.Info()
		if err != nil {
			continue
		}
		name := e.Name()
		if rel != "" {
			name = rel + "/" + name
		}
		s[name] = newEntry(filepath.Join(dir, name), fi)
		if fi.IsDir() {
			s.walk(dir, name)
		}
	}
}

func newEntry(path string, fi fs.FileInfo) entry {
	e := entry{mode: fi.Mode(), size: fi.Size(), held: heldBy(fi), mtime: fi.ModTime().UnixNano()}
	e.atime, e.inode = accessAndInode(fi)
	switch {
	case fi.IsDir():
		e.size, e.mtime = 0, 0 // what is in it counts
	case fi.Mode()&fs.ModeSymlink != 0:
		e.link, _ = os.Readlink(path)
	case fi.Mode().IsRegular() && 0 < fi.Size() && fi.Size() <= digestAtMost:
		if b, err := os.ReadFile(path); err == nil {
			e.digest = sha256.Sum256(b)
		}
	}
	return e
}

// same compares content and mode: a file that was written anew with what it held
// is the same.
func (e entry) same(other entry) bool {
	if e.mode != other.mode || e.size != other.size || e.link != other.link || e.digest != other.digest {
		return false
	}
	small := e.size <= digestAtMost
	return e.mode.IsDir() || small || e.mtime == other.mtime && e.inode == other.inode
}

// under cuts a prefix off and tells whether it was there.
func under(prefix, name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return "", false
	}
	return strings.CutPrefix(rest, "/")
}

// Diff tells two snapshots of one tree apart. Paths are those of the snapshots.
func diff(before, after snapshot) []suites.Change {
	past, present := sortedNames(before), sortedNames(after)
	var out []suites.Change
	for _, name := range names(before, after) {
		b, was := before[name]
		a, is := after[name]
		switch {
		case was && is && a.same(b):
		case is && a.mode.IsDir():
			if !was && !present.below(name) {
				out = append(out, suites.Change{Kind: suites.Created, Path: name + "/"})
			}
		case is && was:
			out = append(out, suites.Change{Kind: suites.Changed, Path: name, Size: a.size})
		case is:
			out = append(out, suites.Change{Kind: suites.Created, Path: name, Size: a.size})
		case b.mode.IsDir():
			if !past.below(name) {
				out = append(out, suites.Change{Kind: suites.Deleted, Path: name + "/"})
			}
		default:
			out = append(out, suites.Change{Kind: suites.Deleted, Path: name})
		}
	}
	return out
}

func names(before, after snapshot) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
	slices.Sort(all)
	return slices.Compact(all)
}

// sorted are the names of a snapshot in order.
type sorted []string

func sortedNames(s snapshot) sorted { return slices.Sorted(maps.Keys(s)) }

// below reports whether there is anything in a directory.
func (s sorted) below(dir string) bool {
	i, _ := slices.BinarySearch(s, dir+"/")
	return i < len(s) && strings.HasPrefix(s[i], dir+"/")
}

// changes tells what the case did, with absolute paths as the case sees them.
func (s *namespaced) changes(after snapshot) []suites.Change {
	var out []suites.Change
	for i, v := range s.layout.views {
		if v.write {
			out = append(out, s.viewChanges(i, after)...)
		}
	}
	for _, c := range diff(s.before, after) {
		if at, ok := s.plainPlace(c.Path); ok {
			c.Path = at
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b suites.Change) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// plainPlace is where a file of the storage is in the sandbox, if it is not in a
// view.
func (s *namespaced) plainPlace(name string) (string, bool) {
	if rest, ok := under(caseDir, name); ok {
		return s.dir + "/" + rest, true
	}
	if rest, ok := under(deviceFS+"/shm", name); ok {
		return "/dev/shm/" + rest, true
	}
	for i, at := range s.layout.private {
		if rest, ok := under(placeDir+strconv.Itoa(i), name); ok {
			return at + "/" + rest, true
		}
	}
	return "", false
}

// viewChanges compares what lies on top of a view with what lies below it.
func (s *namespaced) viewChanges(i int, after snapshot) []suites.Change {
	upper := s.upper(i)
	present := sortedNames(after)
	var out []suites.Change
	for _, name := range names(s.before, after) {
		rel, ok := under(upper, name)
		if !ok {
			continue
		}
		b, was := s.before[name]
		a, is := after[name]
		if was && is && a.same(b) {
			continue
		}
		real := s.layout.views[i].at + "/" + rel
		if !is {
			out = append(out, suites.Change{Kind: suites.Deleted, Path: real})
			continue
		}
		out = append(out, s.layered(name, real, a, was, present)...)
	}
	return out
}

// layered tells what an entry on top of a view means for the file below.
func (s *namespaced) layered(name, real string, a entry, was bool, present sorted) []suites.Change {
	lower, err := os.Lstat(real)
	below := err == nil
	top := s.path() + "/" + name
	switch {
	case a.mode&fs.ModeCharDevice != 0 && isWhiteout(top):
		if !below && !was {
			return nil
		}
		return []suites.Change{{Kind: suites.Deleted, Path: real + slashFor(below && lower.IsDir())}}
	case a.mode.IsDir() && below && lower.IsDir():
		if opaque(top) {
			return replaced(name, real, present)
		}
		return nil
	case a.mode.IsDir():
		if present.below(name) {
			return nil
		}
		return []suites.Change{{Kind: suites.Created, Path: real + "/"}}
	case below && sameContent(top, a, real, lower):
		return nil
	case below || was:
		return []suites.Change{{Kind: suites.Changed, Path: real, Size: a.size}}
	default:
		return []suites.Change{{Kind: suites.Created, Path: real, Size: a.size}}
	}
}

func isWhiteout(path string) bool {
	fi, err := os.Lstat(path)
	return err == nil && whiteout(fi)
}

func slashFor(dir bool) string {
	if dir {
		return "/"
	}
	return ""
}

// replaced lists what a directory that was made anew does not hold any more.
func replaced(name, real string, present sorted) []suites.Change {
	entries, err := os.ReadDir(real)
	if err != nil {
		return nil
	}
	var out []suites.Change
	for _, e := range entries {
		if _, still := slices.BinarySearch(present, name+"/"+e.Name()); !still {
			out = append(out, suites.Change{Kind: suites.Deleted, Path: real + "/" + e.Name() + slashFor(e.IsDir())})
		}
	}
	return out
}

// sameContent compares a file with the one below it: a view copies a file for a
// mere touch.
func sameContent(top string, a entry, real string, lower fs.FileInfo) bool {
	if a.mode != lower.Mode() {
		return false
	}
	if a.mode&fs.ModeSymlink != 0 {
		target, err := os.Readlink(real)
		return err == nil && target == a.link
	}
	if !a.mode.IsRegular() {
		return true
	}
	return a.size == lower.Size() && equalFiles(top, real)
}

func equalFiles(a, b string) bool {
	fa, err := os.Open(a)
	if err != nil {
		return false
	}
	defer fa.Close()
	fb, err := os.Open(b)
	if err != nil {
		return false
	}
	defer fb.Close()
	bufA, bufB := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, errA := io.ReadFull(fa, bufA)
		m, errB := io.ReadFull(fb, bufB)
		if !bytes.Equal(bufA[:n], bufB[:m]) {
			return false
		}
		if errA != nil || errB != nil {
			return errA != nil && errB != nil
		}
	}
}

// Changes implements Sandbox. No command runs.
func (s *namespaced) Changes(e Ended) (changes []suites.Change, stopped []string) {
	after := s.take()
	network := ""
	if b, err := s.ReadFile("/proc/net/snmp"); err == nil {
		network = string(b)
	}
	return s.changes(after), s.stopped(after, network, e)
}

// LeastTaken is how many bytes any file, directory or link counts with where it is
// kept: each takes an inode, and a file system has only so many.
const LeastTaken = 4096

// takenBy returns how many bytes a file, directory or link counts with.
func takenBy(fi fs.FileInfo) int64 {
	if !fi.Mode().IsRegular() {
		return LeastTaken
	}
	return max(heldBy(fi), LeastTaken)
}
