package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites/disk"
)

// A layout is what cases see where. Nothing of the machine is in it as it is: every
// directory is an overlay or a private mount, so that no socket, pipe, device or
// lock behind a name is the machine's.
type layout struct {
	roots   []string // directories with a copy-on-write view, each on one mount
	machine []string // what is shown read-only: "/" and what is mounted elsewhere
	views   []view   // outer ones first; "/" is the first
	private []string // directories of which each case has its own, empty one
	mounts  []mount
	ways    []stamp  // directories whose entries were listed
	notes   []string // what cases do not see as it is, for the user
}

// A stamp tells whether entries were added to or removed from a directory.
type stamp struct {
	dir         string
	mtime, read time.Time
}

// A view is a directory that is a file system of its own in a sandbox.
type view struct {
	at    string
	write bool   // what a case writes is kept on top of it; else it is read-only
	mount bool   // it is a mount of its own, not a part of one
	split *split // nil: an overlay
}

// A split stands for a directory that something is mounted in. An ordinary user
// gets no overlay of such a directory, for it would uncover what is below the
// mount. So the directories on the way to mounts are made in the sandbox, with
// copies of the files in them, and every other directory in them has an overlay of
// its own. All paths are relative.
type split struct {
	dirs  []string // on the way to mounts, and where something is mounted
	files []string // that are copied
	links map[string]string
}

// Bounds of what is done for mounts.
const (
	maxBeside   = 300 // overlays of directories beside the way; others are hidden
	copiesTotal = 16 << 20
)

// A lister reads a directory; of one that it cannot read it returns nil.
type lister func(dir string) []fs.DirEntry

// A splitter divides the roots of a layout.
type splitter struct {
	l      *layout
	mounts []mount
	list   lister
	link   func(path string) string
	most   int64 // bytes that are copied
	beside int
	copied int64
}

// divide makes the views of a layout: one for each root, more where something is
// mounted in it. The project's root comes last in the list and first here, because
// the bounds may cut what follows.
func (sp *splitter) divide() {
	for _, r := range slices.Backward(sp.l.roots) {
		sp.divideRoot(view{at: r, write: true, mount: true})
	}
	for _, r := range sp.l.machine {
		sp.divideRoot(view{at: r, mount: true})
	}
	slices.SortStableFunc(sp.l.views, func(a, b view) int { return disk.ByDepth(a.at, b.at) })
	slices.Sort(sp.l.notes)
	sp.l.notes = slices.Compact(sp.l.notes)
}

func (sp *splitter) divideRoot(v view) {
	ways := sp.ways(v)
	if len(ways) == 0 {
		sp.l.views = append(sp.l.views, v)
		return
	}
	v.split = &split{links: make(map[string]string)}
	for _, w := range ways {
		sp.divideDir(v, w)
	}
	slices.SortFunc(v.split.dirs, disk.ByDepth)
	sp.l.views = append(sp.l.views, v)
}

// ways are the directories from a root to what is mounted on its file system,
// without the mounts themselves; outer ones first.
func (sp *splitter) ways(v view) []string {
	var ways []string
	if v.at == "/" {
		ways = append(ways, "/") // the sandbox has a root directory of its own
	}
	own := mountOf(sp.mounts, v.at)
	for _, m := range sp.mounts {
		up := filepath.Dir(m.At)
		if m.At == v.at || !disk.Within(v.at, m.At) || mountOf(sp.mounts, up) != own || !v.write && sp.l.replaced(up) {
			continue
		}
		for ; disk.Within(v.at, up); up = filepath.Dir(up) {
			if v.write || !sp.l.inView(up) { // that has a view of its own
				ways = append(ways, up)
			}
			if up == "/" {
				break
			}
		}
	}
	return sortedSet(ways)
}

// replaced reports whether a case has something else in the place of a path.
func (l *layout) replaced(path string) bool {
	return slices.ContainsFunc(slices.Concat(l.private, systemDirs), func(d string) bool { return disk.Within(d, path) })
}

// divideDir sorts the entries of a directory on the way to mounts.
func (sp *splitter) divideDir(v view, dir string) {
	rel := func(path string) string { r, _ := filepath.Rel(v.at, path); return r }
	if dir != v.at {
		v.split.dirs = append(v.split.dirs, rel(dir))
	}
	sp.l.ways = append(sp.l.ways, newStamp(dir))
	for _, e := range sp.list(dir) {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			v.split.links[rel(path)] = sp.link(path)
		case e.IsDir():
			sp.divideSub(v, path, rel(path))
		case e.Type().IsRegular():
			fi, err := e.Info()
			if err != nil {
				continue
			}
			if sp.copied+fi.Size() > sp.most {
				if v.write {
					sp.l.notes = append(sp.l.notes, path+" is hidden from cases: it is too large to be copied, and something is mounted beside it")
				}
				continue
			}
			sp.copied += fi.Size()
			v.split.files = append(v.split.files, rel(path))
		}
	}
}

func (sp *splitter) divideSub(v view, path, rel string) {
	within := func(dirs []string) bool { return slices.Contains(dirs, path) }
	isMount := slices.ContainsFunc(sp.mounts, func(m mount) bool { return m.At == path })
	onWay := slices.ContainsFunc(sp.mounts, func(m mount) bool { return m.At != path && disk.Within(path, m.At) })
	switch {
	case within(sp.l.roots), within(sp.l.machine), !v.write && sp.l.replaced(path):
		v.split.dirs = append(v.split.dirs, rel)
	case isMount:
		v.split.dirs = append(v.split.dirs, rel)
		sp.l.notes = append(sp.l.notes, path+" is hidden from cases: it is a mount of a kind that is not shown")
	case onWay: // divided itself
	case !v.write && sp.isEmpty(path): // a directory without an overlay shows as much
		v.split.dirs = append(v.split.dirs, rel)
		sp.l.ways = append(sp.l.ways, newStamp(path))
	case sp.beside == maxBeside:
		v.split.dirs = append(v.split.dirs, rel)
		sp.l.notes = append(sp.l.notes, path+" is hidden from cases: too much is mounted in "+v.at)
	default:
		sp.beside++
		v.split.dirs = append(v.split.dirs, rel)
		sp.l.views = append(sp.l.views, view{at: path, write: v.write})
	}
}

func (sp *splitter) isEmpty(dir string) bool {
	all := sp.list(dir)
	return all != nil && len(all) == 0
}

// hide takes away the views of which the system makes no overlay, and what is in
// them.
func (l *layout) hide(refused map[string]bool) {
	l.views = slices.DeleteFunc(l.views, func(v view) bool {
		if refused[v.at] {
			l.notes = append(l.notes, v.at+" is hidden from cases: the system makes no overlay of it")
		}
		for at := range refused {
			if disk.Within(at, v.at) && (v.at == at || !v.mount) {
				return true
			}
		}
		return false
	})
	slices.Sort(l.notes)
	l.notes = slices.Compact(l.notes)
}

// without is the layout without views in what is masked.
func (l *layout) without(masks []mask) *layout {
	cut := *l
	cut.views = slices.DeleteFunc(slices.Clone(l.views), func(v view) bool {
		return slices.ContainsFunc(masks, func(m mask) bool { return disk.Within(m.Path, v.at) })
	})
	return &cut
}

// key tells one layout from another, but for what is beside mounts.
func (l *layout) key() string {
	return strings.Join(l.roots, "\x00") + "\x01" + strings.Join(l.machine, "\x00") + "\x01" + strings.Join(l.notes, "\x00")
}

// settled is how long the last change of a directory must be past when it is
// listed: file systems keep times by ticks of up to ten milliseconds.
const settled = 50 * time.Millisecond

func newStamp(dir string) stamp {
	s := stamp{dir: dir, read: time.Now()}
	if fi, err := os.Stat(dir); err == nil {
		s.mtime = fi.ModTime()
	}
	return s
}

// listed reports whether the directories that were listed have the same entries.
func (l *layout) listed() bool {
	return !slices.ContainsFunc(l.ways, func(s stamp) bool {
		fi, err := os.Stat(s.dir)
		return err != nil || !fi.ModTime().Equal(s.mtime) || s.read.Sub(s.mtime).Abs() < settled
	})
}

func sortedSet(paths []string) []string {
	slices.SortFunc(paths, disk.ByDepth)
	return slices.Compact(paths)
}
