package isolate

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites/disk"
	"hookwatch/suites/isolate/mask"
	"hookwatch/suites/isolate/mounts"
)

// A layout is what the cases see where, as long as nothing is mounted or
// unmounted.
type layout struct {
	roots   []string // what is shown as views, each on one mount
	views   []view   // outer ones first
	private []string // directories of which each case has its own, empty one
	mounts  []mounts.Mount
	notes   []string // what is shown otherwise than the rest, for a person
}

// A view is a directory of which a case has a copy-on-write view.
type view struct {
	at    string
	root  int    // number of the layout's root that it lies in
	rel   string // from there; "." for the root itself
	split *split // nil: an overlay
	shown bool   // as it is, read-only: the system makes no overlay of it
}

// A split stands for a directory that something is mounted in. An ordinary user
// gets no overlay of such a directory, for it would uncover what is below the
// mount. So the directories on the way to mounts are made anew, with copies of
// the files that lie in them, and what lies beside the way has overlays of its
// own. All paths are relative.
type split struct {
	dirs  []string // on the way to mounts, and where something is mounted
	files []string // that are copied
	large []string // that are shown as they are
	links map[string]string
	inner []string // mounts that are shown as they are
}

// Bounds of what is done for mounts.
const (
	maxBeside   = 300     // overlays beside the way; what is more is not shown
	copyAtMost  = 1 << 20 // size of a file that is copied
	copiesTotal = 16 << 20
)

// A lister reads a directory; what it cannot read is empty.
type lister func(dir string) []fs.DirEntry

// A splitter divides the roots of a layout.
type splitter struct {
	l      *layout
	mounts []mounts.Mount
	list   lister
	link   func(path string) string
	most   int64 // bytes that are copied
	beside int
	copied int64
}

// divide makes the views of a layout: one for each root, more where something is
// mounted in it.
func (sp *splitter) divide() {
	for i, r := range slices.Backward(sp.l.roots) { // the project's come last, and first here
		ways := sp.ways(r)
		if len(ways) == 0 {
			sp.l.views = append(sp.l.views, view{at: r, root: i, rel: "."})
			continue
		}
		v := view{at: r, root: i, rel: ".", split: &split{links: make(map[string]string)}}
		for _, w := range slices.Backward(ways) {
			sp.divideDir(v, w)
		}
		slices.SortFunc(v.split.dirs, disk.ByDepth)
		sp.l.views = append(sp.l.views, v)
	}
	slices.SortFunc(sp.l.views, func(a, b view) int { return disk.ByDepth(a.at, b.at) })
}

// ways are the directories from a root to what is mounted on its file system,
// the mounts themselves not among them; outer ones first.
func (sp *splitter) ways(root string) []string {
	var ways []string
	own := mounts.On(sp.mounts, root)
	for _, m := range sp.mounts {
		up := filepath.Dir(m.At)
		if m.At == root || !disk.Within(root, m.At) || mounts.On(sp.mounts, up) != own {
			continue
		}
		for ; disk.Within(root, up); up = filepath.Dir(up) {
			ways = append(ways, up)
		}
	}
	return sortedSet(ways)
}

// divideDir sorts what lies in a directory on the way to mounts.
func (sp *splitter) divideDir(v view, dir string) {
	rel := func(path string) string { r, _ := filepath.Rel(v.at, path); return r }
	if dir != v.at {
		v.split.dirs = append(v.split.dirs, rel(dir))
	}
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
			if fi.Size() > copyAtMost || sp.copied+fi.Size() > sp.most {
				v.split.large = append(v.split.large, rel(path))
				continue
			}
			sp.copied += fi.Size()
			v.split.files = append(v.split.files, rel(path))
		}
	}
}

func (sp *splitter) divideSub(v view, path, rel string) {
	isMount := slices.ContainsFunc(sp.mounts, func(m mounts.Mount) bool { return m.At == path })
	onWay := slices.ContainsFunc(sp.mounts, func(m mounts.Mount) bool { return m.At != path && disk.Within(path, m.At) })
	switch {
	case slices.Contains(sp.l.roots, path):
		v.split.dirs = append(v.split.dirs, rel)
	case isMount:
		v.split.dirs = append(v.split.dirs, rel)
		v.split.inner = append(v.split.inner, rel)
		sp.l.notes = append(sp.l.notes, path+" is a mount: cases see it read-only")
	case onWay: // divided itself
	case sp.beside == maxBeside:
		v.split.dirs = append(v.split.dirs, rel)
		sp.l.notes = append(sp.l.notes, path+" is hidden from cases: too much lies beside what is mounted in "+v.at)
	default:
		sp.beside++
		v.split.dirs = append(v.split.dirs, rel)
		sp.l.views = append(sp.l.views, view{at: path, root: v.root, rel: rel})
	}
}

// show marks the views of which the system makes no overlay.
func (l *layout) show(refused map[string]bool) {
	for i := range l.views {
		if v := &l.views[i]; refused[v.at] {
			v.shown, v.split = true, nil
			l.notes = append(l.notes, v.at+" can have no copy-on-write view: cases see it read-only")
		}
	}
	for i := range l.views { // what lies in it is a part of it
		v := &l.views[i]
		for _, outer := range l.views[:i] {
			if outer.shown && outer.root == v.root && disk.Within(outer.at, v.at) {
				v.shown, v.split = true, nil
			}
		}
	}
	slices.Sort(l.notes)
	l.notes = slices.Compact(l.notes)
}

// without is the layout without views of what is masked.
func (l *layout) without(masks []mask.Mask) *layout {
	cut := *l
	cut.views = slices.DeleteFunc(slices.Clone(l.views), func(v view) bool {
		return v.rel != "." && slices.ContainsFunc(masks, func(m mask.Mask) bool { return disk.Within(m.Path, v.at) })
	})
	return &cut
}

// key tells one layout from another, but for what lies beside mounts.
func (l *layout) key() string {
	return strings.Join(l.roots, "\x00") + "\x01" + strings.Join(l.notes, "\x00")
}

func sortedSet(paths []string) []string {
	slices.SortFunc(paths, disk.ByDepth)
	return slices.Compact(paths)
}
