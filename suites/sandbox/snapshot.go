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
	"hookwatch/suites/disk"
)

// A snapshot contains the entries of a tree, by slash path relative to its top, without the top.
type snapshot map[string]entry

// An entry contains the properties by which changes of a file are detected.
type entry struct {
	mode   fs.FileMode
	size   int64
	held   int64 // disk space in bytes
	mtime  int64 // nanoseconds
	atime  int64
	inode  uint64
	digest [sha256.Size]byte // of small files, because clocks can be too coarse
	link   string            // target of a symbolic link
}

// digestAtMost is the maximum size in bytes of files whose content is compared.
const digestAtMost = 64 << 10

// takeSnapshot returns a snapshot of the named trees below dir, or of dir itself without names. It
// omits unreadable files.
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
		e.size, e.mtime = 0, 0 // only its content counts
	case fi.Mode()&fs.ModeSymlink != 0:
		e.link, _ = os.Readlink(path)
	case fi.Mode().IsRegular() && 0 < fi.Size() && fi.Size() <= digestAtMost:
		if b, err := os.ReadFile(path); err == nil {
			e.digest = sha256.Sum256(b)
		}
	}
	return e
}

// same reports whether content and mode are equal, so rewriting a small file with the same content
// is not a change. Of larger files it compares size, time and inode instead of the content.
func (e entry) same(other entry) bool {
	if e.mode != other.mode || e.size != other.size || e.link != other.link || e.digest != other.digest {
		return false
	}
	small := e.size <= digestAtMost
	return e.mode.IsDir() || small || e.mtime == other.mtime && e.inode == other.inode
}

// under removes a prefix that is a parent directory, and reports whether name had it.
func under(prefix, name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return "", false
	}
	return strings.CutPrefix(rest, "/")
}

// diff returns the changes between two snapshots of a tree. Paths are those of the snapshots.
func diff(before, after snapshot) []suites.Change {
	past, present := sortedNames(before), sortedNames(after)
	var out []suites.Change
	for _, name := range names(before, after) {
		b, was := before[name]
		a, is := after[name]
		switch {
		case was && is && a.same(b):
		case is && a.mode.IsDir():
			if !was && !present.hasBelow(name) {
				out = append(out, suites.Change{Kind: suites.Created, Path: name + "/"})
			}
		case is && was:
			out = append(out, suites.Change{Kind: suites.Changed, Path: name, Size: a.size})
		case is:
			out = append(out, suites.Change{Kind: suites.Created, Path: name, Size: a.size})
		case b.mode.IsDir():
			if !past.hasBelow(name) {
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

// sorted contains the names of a snapshot in order.
type sorted []string

func sortedNames(s snapshot) sorted { return slices.Sorted(maps.Keys(s)) }

// hasBelow reports whether a directory contains anything.
func (s sorted) hasBelow(dir string) bool {
	i, _ := slices.BinarySearch(s, dir+"/")
	return i < len(s) && strings.HasPrefix(s[i], dir+"/")
}

// changes returns the case's changes, with absolute paths as the case sees them.
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

// plainPlace returns the path in the sandbox of a file of the storage that is not in a view.
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

// viewChanges returns the changes in the upper layer of a view relative to the lower one.
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
			if !s.absent(real) {
				out = append(out, suites.Change{Kind: suites.Deleted, Path: real})
			}
			continue
		}
		out = append(out, s.layerChanges(name, real, a, was, present)...)
	}
	return out
}

// absent reports whether the case found nothing at a path, whatever the machine has there.
func (s *namespaced) absent(path string) bool {
	return slices.ContainsFunc(s.masks, func(m mask) bool {
		return (m.Absent || m.IsDir && m.Names == nil && m.Path != path) && disk.Within(m.Path, path)
	})
}

// layerChanges returns the changes that an entry in the upper layer of a view means for the file below.
func (s *namespaced) layerChanges(name, real string, a entry, was bool, present sorted) []suites.Change {
	lower, err := os.Lstat(real)
	below := err == nil
	if s.absent(real) {
		below, was = false, false
	}
	top := s.path() + "/" + name
	switch {
	case a.mode&fs.ModeCharDevice != 0 && isWhiteout(top):
		if !below && !was {
			return nil
		}
		return []suites.Change{{Kind: suites.Deleted, Path: real + slashFor(below && lower.IsDir())}}
	case a.mode.IsDir() && below && lower.IsDir():
		if opaque(top) {
			return deletions(name, real, present)
		}
		return nil
	case a.mode.IsDir():
		if present.hasBelow(name) {
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

// deletions returns the deletions in a directory that was replaced by a new one.
func deletions(name, real string, present sorted) []suites.Change {
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

// sameContent reports whether a file equals the one below it. Such files exist because an overlay
// also copies a file if only its times change.
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

// Changes implements Sandbox. No command may be running.
func (s *namespaced) Changes(e Ended) (changes []suites.Change, stopped []string) {
	after := s.take()
	s.after = after
	network := ""
	if b, err := s.ReadFile("/proc/net/snmp"); err == nil {
		network = string(b)
	}
	return s.changes(after), s.describeStops(after, network, e)
}

// LeastTaken is the minimum number of bytes for which a kept file, directory or link counts,
// because each needs an inode and a file system has a limited number of them.
const LeastTaken = 4096

// takenBy returns the number of bytes for which a file, directory or link counts.
func takenBy(fi fs.FileInfo) int64 {
	if !fi.Mode().IsRegular() {
		return LeastTaken
	}
	return max(heldBy(fi), LeastTaken)
}
