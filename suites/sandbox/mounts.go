package sandbox

import (
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites/disk"
)

// A mount is a point at which another file system begins.
type mount struct {
	At, Kind string
	Device   string // the file system
	Root     string // the part of it that is mounted
}

// aliases returns the other paths of a file or directory through other mounts of its file system.
// For a mount of only a part of path, it returns the mount point.
func aliases(mounts []mount, path string) []string {
	at := mountOf(mounts, path)
	if at < 0 {
		return nil
	}
	from := func(dir, p string) string { rel, _ := filepath.Rel(dir, p); return rel }
	own := mounts[at]
	inside := filepath.Join(own.Root, from(own.At, path))
	var out []string
	for i, m := range mounts {
		if i == at || m.Device != own.Device || m.Root == "" {
			continue
		}
		alias := m.At
		if disk.Within(m.Root, inside) {
			alias = filepath.Join(m.At, from(m.Root, inside))
		} else if !disk.Within(inside, m.Root) {
			continue
		}
		if alias != path && mountOf(mounts, alias) == i {
			out = append(out, alias)
		}
	}
	return out
}

// mountOf returns the index of the mount that contains path.
func mountOf(mounts []mount, path string) int {
	best := -1
	for i, m := range mounts {
		if disk.Within(m.At, path) && (best < 0 || len(m.At) >= len(mounts[best].At)) {
			best = i
		}
	}
	return best
}

// views returns the directories, without symbolic links, for which cases get copy-on-write views:
// the work tree around the project, its repository, HOME, and mounts inside the project. Outer ones
// come first. It omits directories within another one on the same mount.
func (o Options) views(all []mount) []string {
	top := disk.Real(GitTop(disk.Real(o.Root)))
	wanted := []string{top}
	if common, _ := gitCommon(top); common != "" {
		wanted = append(wanted, common)
	}
	if o.Home != "" && disk.IsDir(o.Home) {
		wanted = append(wanted, disk.Real(o.Home))
	}
	for _, m := range all {
		if disk.Within(top, m.At) && disk.IsDir(m.At) {
			wanted = append(wanted, m.At)
		}
	}
	var views []string
	for _, v := range sortedSet(wanted) {
		if v == "/" || slices.ContainsFunc(systemDirs, func(d string) bool { return disk.Within(d, v) }) {
			continue
		}
		covered := slices.ContainsFunc(views, func(outer string) bool {
			return disk.Within(outer, v) && mountOf(all, outer) == mountOf(all, v)
		})
		if !covered && len(views) < maxViews {
			views = append(views, v)
		}
	}
	return views
}

// Limits on the mounts that cases see: those of the project, each with a view, and those of the
// machine, read-only.
const (
	maxViews   = 40
	maxMachine = 100
)

var systemDirs = []string{"/proc", "/sys", "/dev"}

// machineRoots returns the directories that are shown read-only, each the top of a mount: "/" and
// the mounts in it, except those that are replaced for cases. Paths with the fewest parts come
// first.
func (l *layout) machineRoots() []string {
	out := []string{"/"}
	for i, m := range l.mounts {
		shown := !slices.Contains(unshownKinds, m.Kind) && !l.replaced(m.At) && !slices.Contains(l.roots, m.At)
		if shown && mountOf(l.mounts, m.At) == i && disk.IsDir(m.At) {
			out = append(out, m.At)
		}
	}
	out = sortedSet(out)
	return out[:min(len(out), maxMachine)]
}

// unshownKinds are file systems that expose or control the kernel and its services.
var unshownKinds = []string{
	"autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs", "fusectl",
	"hugetlbfs", "mqueue", "nsfs", "proc", "pstore", "rpc_pipefs", "securityfs", "selinuxfs", "sysfs", "tracefs",
}

// viewOf returns the innermost view that contains a path, and the relative path in it.
func (l *layout) viewOf(path string) (view int, rel string) {
	view = -1
	for i, v := range l.views { // inner ones come later
		if disk.Within(v.at, path) {
			view, rel = i, strings.TrimPrefix(strings.TrimPrefix(path, v.at), "/")
		}
	}
	return view, rel
}

// inView reports whether a path is in a writable view.
func (l *layout) inView(path string) bool {
	return slices.ContainsFunc(l.roots, func(r string) bool { return disk.Within(r, path) })
}

// inPrivate reports whether a path is in a directory that each case has its own of.
func (l *layout) inPrivate(path string) bool {
	return slices.ContainsFunc(l.private, func(d string) bool { return path != d && disk.Within(d, path) })
}
