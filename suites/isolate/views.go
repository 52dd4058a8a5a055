package isolate

import (
	"slices"
	"strings"

	"hookwatch/suites/disk"
	"hookwatch/suites/isolate/mounts"
	"hookwatch/suites/isolate/trees"
)

// views lists the directories, free of symbolic links, of which a case gets
// copy-on-write views: the work tree around the project, where its repository
// is kept, HOME, and what is mounted inside of the project. Outer ones come
// first; one whose mount and directory another covers is left out.
func (o Options) views(all []mounts.Mount) []string {
	top := disk.Real(trees.GitTop(disk.Real(o.Root)))
	wanted := []string{top}
	if common := trees.GitCommon(top); common != "" {
		wanted = append(wanted, common)
	}
	if o.Home != "" && disk.IsDir(o.Home) {
		wanted = append(wanted, disk.Real(o.Home))
	}
	for _, m := range all {
		if disk.Within(top, m.At) {
			wanted = append(wanted, m.At)
		}
	}
	var views []string
	for _, v := range sortedSet(wanted) {
		if v == "/" || slices.ContainsFunc(systemDirs, func(d string) bool { return disk.Within(d, v) }) {
			continue
		}
		covered := slices.ContainsFunc(views, func(outer string) bool {
			return disk.Within(outer, v) && mounts.On(all, outer) == mounts.On(all, v)
		})
		if !covered && len(views) < maxViews {
			views = append(views, v)
		}
	}
	return views
}

// maxViews bounds the file systems that are shown as views: a project with more
// mounts inside of it sees the rest as it is, read-only.
const maxViews = 40

var systemDirs = []string{"/proc", "/sys", "/dev"}

// viewOf is the innermost view that a path lies in, and where; -1 for none that
// can be written to.
func (l *layout) viewOf(path string) (view int, rel string) {
	view = -1
	for i, v := range l.views { // inner ones come later
		if !disk.Within(v.at, path) {
			continue
		}
		if view, rel = i, strings.TrimPrefix(path, v.at+"/"); v.shown {
			view = -1
		}
	}
	return view, rel
}

// inView reports whether a path lies in what is shown as views.
func (l *layout) inView(path string) bool {
	return slices.ContainsFunc(l.roots, func(r string) bool { return disk.Within(r, path) })
}
