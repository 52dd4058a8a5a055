package depend

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"

	"hookwatch/suites/disk"
)

// A listing is what the hook directories hold.
type listing struct {
	files   []string            // sorted
	byBase  map[string][]string // basename -> files
	byDir   map[string][]string // basename of a directory inside -> directories
	dirs    map[string]bool
	unusual []string // files whose basename is no single word of a script

	behind  map[string]bool // real directories that were listed behind a link
	entries int             // in them, each time
}

// linkedEntries is how many entries are listed behind links before each further
// link adds only what none has led to: a hundred links to one large directory must
// not make a hundred of it. It is far above what hook directories hold.
const linkedEntries = 4000

// A way is how a directory was come to.
type way struct {
	above []string        // the real directories on it
	seen  map[string]bool // real directories that were listed; behind a link, since that link
	link  bool            // a link is on it

	passing func(name string) bool
}

// walk lists a directory, through symbolic links, each real directory once; and
// once more behind every outermost link that leads to it, so that what is listed
// does not hang on where the links lead today. A link behind a link adds only what
// the outer one has not led to, and see linkedEntries.
func (l *listing) walk(x *index, dir string, w way) {
	l.dirs[dir] = true
	real, err := filepath.EvalSymlinks(x.abs(dir))
	if err != nil || w.seen[real] || slices.Contains(w.above, real) {
		return
	}
	w.seen[real] = true
	w.above = append(slices.Clip(w.above), real)
	if len(w.above) > 1 {
		l.byDir[path.Base(dir)] = append(l.byDir[path.Base(dir)], dir)
	}
	entries, err := os.ReadDir(real)
	if err != nil {
		return
	}
	if w.link {
		l.behind[real] = true
		l.entries += len(entries)
	}
	for _, e := range entries {
		if w.passing != nil && w.passing(e.Name()) {
			continue
		}
		name := path.Join(dir, e.Name())
		mode, inner := e.Type(), w
		if mode&fs.ModeSymlink != 0 {
			x.get(name) // remembers where it leads, should that appear
			if info, err := os.Stat(x.abs(name)); err == nil && (!info.IsDir() || x.leadsInside(name)) {
				mode = info.Mode()
			}
			if !w.link {
				inner.link, inner.seen = true, l.seenBehind()
			}
		}
		switch {
		case mode.IsRegular():
			l.files = append(l.files, name)
		case mode.IsDir() && !disk.IgnoredDir(e.Name()):
			l.walk(x, name, inner)
		}
	}
}

// seenBehind are the real directories not to be listed behind another link.
func (l *listing) seenBehind() map[string]bool {
	if l.entries < linkedEntries {
		return map[string]bool{}
	}
	return l.behind
}

// leadsInside reports whether a link to a directory stays in the project: one to
// the root of the file system must not make all of it the project's.
func (x *index) leadsInside(name string) bool {
	root, err := filepath.EvalSymlinks(x.abs("."))
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(x.abs(name))
	return err == nil && below(filepath.ToSlash(real), filepath.ToSlash(root))
}

// has reports whether a file was listed.
func (l *listing) has(p string) bool {
	i := sort.SearchStrings(l.files, p)
	return i < len(l.files) && l.files[i] == p
}

// in lists the files of a directory and of those below it.
func (l *listing) in(dir string) []string {
	var files []string
	for _, f := range l.files {
		if below(f, dir) {
			files = append(files, f)
		}
	}
	return files
}
