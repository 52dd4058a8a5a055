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

// A listing is the content of the hook directories.
type listing struct {
	files   []string            // sorted
	byBase  map[string][]string // basename -> files
	byDir   map[string][]string // basename of a directory inside -> directories
	dirs    map[string]bool
	unusual []string // files whose basename is not a single word in a script

	behind  map[string]bool // real directories that were listed behind a link
	entries int             // number of entries in them, counted each time
}

// linkedEntries is the number of entries that are listed behind links before further links only
// add directories that no link has led to, because a hundred links to one large directory must
// not multiply its entries by a hundred. It is far above the size of hook directories.
const linkedEntries = 4000

// A way is the path on which a directory was reached.
type way struct {
	above []string        // the real directories on it
	seen  map[string]bool // real directories that were listed; behind a link, since that link
	link  bool            // it contains a link

	passing func(name string) bool
}

// walk lists a directory, through symbolic links, each real directory once, and again behind
// every outermost link that leads to it, so that the list does not depend on the current targets
// of links. A link behind a link only adds directories that the outer one has not led to. See
// also linkedEntries.
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
			x.get(name) // remembers its target in case that appears
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

// seenBehind returns the real directories that must not be listed behind another link.
func (l *listing) seenBehind() map[string]bool {
	if l.entries < linkedEntries {
		return map[string]bool{}
	}
	return l.behind
}

// leadsInside reports whether a link to a directory stays in the project, because a link to the
// root of the file system must not make all of it part of the project.
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

// in returns the files of a directory and of its subdirectories.
func (l *listing) in(dir string) []string {
	var files []string
	for _, f := range l.files {
		if below(f, dir) {
			files = append(files, f)
		}
	}
	return files
}
