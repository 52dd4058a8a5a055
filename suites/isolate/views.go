package isolate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites/disk"
)

// GitTop is the top of the git work tree that dir lies in: hooks ask git about
// all of it. Without one it is dir itself.
func GitTop(dir string) string {
	for d := dir; d != "/" && d != "."; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
	}
	return dir
}

// gitCommon is where a linked work tree or a submodule at top keeps its
// repository, "" when that is in top itself.
func gitCommon(top string) string {
	dir, ok := gitDir(top)
	if !ok {
		return ""
	}
	if b, err := readGit(filepath.Join(dir, "commondir")); err == nil {
		dir = absolute(dir, strings.TrimSpace(string(b)))
	}
	if dir = real(dir); !isDir(dir) || Within(top, dir) {
		return ""
	}
	return dir
}

// gitDir is the directory that the file .git of a work tree names.
func gitDir(top string) (string, bool) {
	b, err := readGit(filepath.Join(top, ".git"))
	if err != nil {
		return "", false
	}
	named, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir:")
	return absolute(top, strings.TrimSpace(named)), ok
}

// gitAtMost bounds what is read of a repository, in bytes: it may be a clone's.
const gitAtMost = 1 << 20

// readGit reads a file of a repository, and waits for none that is a pipe.
func readGit(file string) ([]byte, error) { return disk.Reader{}.ReadFile(file, gitAtMost) }

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// views lists the directories, free of symbolic links, of which a case gets
// copy-on-write views: the work tree around the project, where its repository
// is kept, HOME, and what is mounted inside of the project. Outer ones come
// first; one whose mount and directory another covers is left out.
func (o Options) views(mounts []mount) []string {
	top := real(GitTop(real(o.Root)))
	wanted := []string{top}
	if common := gitCommon(top); common != "" {
		wanted = append(wanted, common)
	}
	if o.Home != "" && isDir(o.Home) {
		wanted = append(wanted, real(o.Home))
	}
	for _, m := range mounts {
		if Within(top, m.at) {
			wanted = append(wanted, m.at)
		}
	}
	var views []string
	for _, v := range sortedSet(wanted) {
		if v == "/" || slices.ContainsFunc(systemDirs, func(d string) bool { return Within(d, v) }) {
			continue
		}
		covered := slices.ContainsFunc(views, func(outer string) bool {
			return Within(outer, v) && mountOf(mounts, outer) == mountOf(mounts, v)
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

// A mount is where another file system begins.
type mount struct {
	at, kind string
	device   string // the file system
	root     string // what of it is mounted
}

// aliases are the other paths of a file or directory, by other mounts of its file
// system. Where a part of it is mounted, that counts.
func aliases(mounts []mount, path string) []string {
	at := mountOf(mounts, path)
	if at < 0 {
		return nil
	}
	from := func(dir, p string) string { rel, _ := filepath.Rel(dir, p); return rel }
	own := mounts[at]
	inside := filepath.Join(own.root, from(own.at, path))
	var out []string
	for i, m := range mounts {
		if i == at || m.device != own.device || m.root == "" {
			continue
		}
		alias := m.at
		if Within(m.root, inside) {
			alias = filepath.Join(m.at, from(m.root, inside))
		} else if !Within(inside, m.root) {
			continue
		}
		if alias != path && mountOf(mounts, alias) == i {
			out = append(out, alias)
		}
	}
	return out
}

// mountOf is the index of the mount that path lies on.
func mountOf(mounts []mount, path string) int {
	best := -1
	for i, m := range mounts {
		if Within(m.at, path) && (best < 0 || len(m.at) >= len(mounts[best].at)) {
			best = i
		}
	}
	return best
}

// viewOf is the innermost view that a path lies in, and where; -1 for none that
// can be written to.
func (l *layout) viewOf(path string) (view int, rel string) {
	view = -1
	for i, v := range l.views { // inner ones come later
		if !Within(v.at, path) {
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
	return slices.ContainsFunc(l.roots, func(r string) bool { return Within(r, path) })
}
