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

// A layout describes which directories cases see. It exposes no directory of the machine directly:
// each is an overlay or a private mount, so that no socket, pipe, device or lock that a case can
// reach by name is the machine's.
type layout struct {
	roots   []string // directories with a copy-on-write view, each on one mount
	machine []string // shown read-only: "/" and the mounts elsewhere
	views   []view   // outer ones first; "/" is the first
	private []string // directories that are replaced by an empty one for each case
	homes   []string // of which cases see only what homeRows lists
	mounts  []mount
	ways    []stamp  // directories whose entries were listed
	notes   []string // files that cases do not see as they are, for users
}

// layout returns the roots and private directories for cases with these mounts.
func (o Options) layout(all []mount) *layout {
	rules := o.rules()
	l := &layout{roots: o.views(all, rules.Homes()), mounts: all, homes: rules.listedHomes()}
	private := slices.Concat([]string{"/tmp", "/var/tmp", "/run", os.TempDir()}, o.Private)
	for _, h := range l.homes { // other paths to the same files
		private = append(private, aliases(all, h)...)
	}
	for _, d := range private {
		d = disk.Real(d)
		if disk.IsDir(d) && d != "/" && !l.inView(d) {
			l.private = append(l.private, d)
		}
	}
	l.private = sortedSet(l.private)
	return l
}

// A stamp detects that entries were added to or removed from a directory.
type stamp struct {
	dir         string
	mtime, read time.Time
}

// A view is a directory that is a separate file system in a sandbox.
type view struct {
	at    string
	write bool   // the case's changes are kept in an upper layer; else it is read-only
	mount bool   // it is a mount itself, not a part of one
	split *split // nil: an overlay
}

// A split replaces the overlay of a directory that contains mounts. The kernel refuses an ordinary
// user an overlay of such a directory, because it would uncover what is below the mounts. So the
// directories that lead to mounts are created in the sandbox, with copies of the files in them, and
// every other directory in them gets an overlay of its own. All paths are relative.
type split struct {
	dirs  []string // that lead to mounts, and mount points
	files []string // to copy
	links map[string]string
}

// Limits on the handling of mounts.
const (
	maxSiblings = 300 // overlays of directories next to those that lead to mounts; others are hidden
	copiesTotal = 16 << 20
)

// A lister returns the entries of a directory, nil if it is unreadable.
type lister func(dir string) []fs.DirEntry

// A splitter divides the roots of a layout into views.
type splitter struct {
	l        *layout
	mounts   []mount
	list     lister
	link     func(path string) string
	most     int64 // limit of copied files in bytes
	siblings int
	copied   int64
}

// divide creates the views of a layout: one for each root, more if it contains mounts. It processes
// the roots in reverse order, because the project's is the last and the limits may cut those that
// come later.
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

// ways returns the directories that lead from a root to mounts on its file system, without the
// mounts themselves; outer ones first.
func (sp *splitter) ways(v view) []string {
	var ways []string
	if v.at == "/" {
		ways = append(ways, "/") // because the sandbox has a new root directory
	}
	own := mountOf(sp.mounts, v.at)
	for _, m := range sp.mounts {
		up := filepath.Dir(m.At)
		if m.At == v.at || !disk.Within(v.at, m.At) || mountOf(sp.mounts, up) != own || !v.write && sp.l.isReplaced(up) {
			continue
		}
		for ; disk.Within(v.at, up); up = filepath.Dir(up) {
			if v.write || !sp.l.inView(up) { // a writable view contains it
				ways = append(ways, up)
			}
			if up == "/" {
				break
			}
		}
	}
	return sortedSet(ways)
}

// isReplaced reports whether a path is in a directory that is replaced for cases.
func (l *layout) isReplaced(path string) bool {
	return inAny(l.private, path) || inAny(systemDirs, path)
}

// divideDir assigns the entries of a directory that leads to mounts.
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
					sp.l.notes = append(sp.l.notes, path+" is hidden from cases: it is too large to be copied, and something is mounted next to it")
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
	case within(sp.l.roots), within(sp.l.machine), !v.write && sp.l.isReplaced(path):
		v.split.dirs = append(v.split.dirs, rel)
	case isMount:
		v.split.dirs = append(v.split.dirs, rel)
		sp.l.notes = append(sp.l.notes, path+" is hidden from cases: it is a mount of a kind that is not shown")
	case onWay: // divided itself
	case !v.write && sp.isEmpty(path): // a directory without an overlay looks the same
		v.split.dirs = append(v.split.dirs, rel)
		sp.l.ways = append(sp.l.ways, newStamp(path))
	case sp.siblings == maxSiblings:
		v.split.dirs = append(v.split.dirs, rel)
		sp.l.notes = append(sp.l.notes, path+" is hidden from cases: too much is mounted in "+v.at)
	default:
		sp.siblings++
		v.split.dirs = append(v.split.dirs, rel)
		sp.l.views = append(sp.l.views, view{at: path, write: v.write})
	}
}

func (sp *splitter) isEmpty(dir string) bool {
	all := sp.list(dir)
	return all != nil && len(all) == 0
}

// hide removes the views that the system makes no overlay of, with the views in them.
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

// excludeMasked returns the layout without views in masked directories.
func (l *layout) excludeMasked(masks []mask) *layout {
	cut := *l
	cut.views = slices.DeleteFunc(slices.Clone(l.views), func(v view) bool {
		return slices.ContainsFunc(masks, func(m mask) bool { return disk.Within(m.Path, v.at) })
	})
	return &cut
}

// key identifies a layout, except for the directories next to mounts.
func (l *layout) key() string {
	return strings.Join(l.roots, "\x00") + "\x01" + strings.Join(l.machine, "\x00") + "\x01" + strings.Join(l.notes, "\x00")
}

// settled is the minimum age of a directory's last change when it is listed, because file systems
// record times in ticks of up to ten milliseconds.
const settled = 50 * time.Millisecond

func newStamp(dir string) stamp {
	s := stamp{dir: dir, read: time.Now()}
	if fi, err := os.Stat(dir); err == nil {
		s.mtime = fi.ModTime()
	}
	return s
}

// current reports whether the directories that were listed still have the same entries. A list that
// was made within margin of the last change does not count.
func current(ways []stamp, margin time.Duration) bool {
	return !slices.ContainsFunc(ways, func(s stamp) bool {
		fi, err := os.Stat(s.dir)
		return err != nil || !fi.ModTime().Equal(s.mtime) || s.read.Sub(s.mtime).Abs() < margin
	})
}

func sortedSet(paths []string) []string {
	slices.SortFunc(paths, disk.ByDepth)
	return slices.Compact(paths)
}
