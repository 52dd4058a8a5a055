package isolate

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Snapshot is what a tree holds: by slash path from its top, without it.
type Snapshot map[string]entry

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

// Take looks at the trees below dir; with no names at all of dir. What cannot be
// read is not in the snapshot.
func Take(dir string, names ...string) Snapshot {
	s := make(Snapshot)
	if len(names) == 0 {
		s.walk(dir, "")
	}
	for _, n := range names {
		s.walk(dir, n)
	}
	return s
}

func (s Snapshot) walk(dir, rel string) {
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
	e := entry{mode: fi.Mode(), size: fi.Size(), held: HeldBy(fi), mtime: fi.ModTime().UnixNano()}
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
