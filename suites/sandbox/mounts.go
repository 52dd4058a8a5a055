package sandbox

import (
	"errors"
	"fmt"
	"os"
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
// the work tree around the project, its repository, homes, and mounts inside the project. Outer ones
// come first. It omits directories within another one on the same mount.
func (o Options) views(all []mount, homes []string) []string {
	top := disk.Real(GitTop(disk.Real(o.Root)))
	wanted := []string{top}
	if common, _ := gitCommon(top); common != "" {
		wanted = append(wanted, common)
	}
	wanted = append(wanted, homes...)
	for _, m := range all {
		if disk.Within(top, m.At) && disk.IsDir(m.At) {
			wanted = append(wanted, m.At)
		}
	}
	var views []string
	for _, v := range sortedSet(wanted) {
		if v == "/" || inAny(systemDirs, v) {
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
		shown := !slices.Contains(unshownKinds, m.Kind) && !l.isReplaced(m.At) && !slices.Contains(l.roots, m.At)
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
func (l *layout) inView(path string) bool { return inAny(l.roots, path) }

// inAny reports whether a path is one of the directories or in one.
func inAny(dirs []string, path string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return disk.Within(d, path) })
}

// inPrivate reports whether a path is in a directory that each case has its own of.
func (l *layout) inPrivate(path string) bool {
	return slices.ContainsFunc(l.private, func(d string) bool { return path != d && disk.Within(d, path) })
}

// isCovered reports whether a private directory hides path.
func (l *layout) isCovered(path string) bool { return !l.inView(path) && l.inPrivate(path) }

// maxNeeded bounds the programs and directories that are shown in private directories and homes.
const maxNeeded = 200

// visiblePaths returns the files and directories of private directories and homes that must be visible:
// programs in search and what they need.
func (l *layout) visiblePaths(o Options, search []string, known *installed) []string {
	var wanted []string
	hidden := func(path string) bool { return l.isCovered(path) || l.homeOf(path) != "" }
	for _, d := range search {
		if slices.Contains(usualPrograms, d) {
			continue
		}
		d = disk.Real(d)
		if hidden(d) && disk.IsDir(d) {
			wanted = append(wanted, l.installation(d)...)
		}
		for _, f := range known.of(d, hidden) {
			for _, at := range l.installation(filepath.Dir(f)) {
				if !hidden(at) || slices.Contains(l.homes, at) {
					at = f
				}
				wanted = append(wanted, at)
			}
		}
	}
	for _, f := range slices.Concat(o.Shown, []string{"/run/current-system", "/run/wrappers"}) {
		if f = disk.Real(f); hidden(f) {
			wanted = append(wanted, f)
		}
	}
	wanted = sortedSet(wanted)
	return wanted[:min(len(wanted), maxNeeded)]
}

// GitTop returns the top of the git work tree that contains dir, because hooks ask git about all of
// it, or dir itself without one. A repository above dir counts only if it belongs to the user, as
// git requires, and is not in a directory that all users may write to, because others could put one
// there to expose more files to cases.
func GitTop(dir string) string {
	if hasGit(dir) {
		return dir
	}
	for d := filepath.Dir(dir); d != filepath.Dir(d); d = filepath.Dir(d) {
		fi, err := os.Stat(d)
		if _, known := ownerOf(d); err != nil || known && fi.Mode().Perm()&0o002 != 0 {
			return dir
		}
		if hasGit(d) {
			if !isTrusted(d, dir) || !isTrusted(filepath.Join(d, ".git"), dir) {
				return dir
			}
			return d
		}
	}
	return dir
}

func hasGit(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// isTrusted reports whether a path belongs to the user or, for root, to the owner of the project.
func isTrusted(path, project string) bool {
	owner, known := ownerOf(path)
	if !known || owner == os.Geteuid() {
		return true
	}
	of, _ := ownerOf(project)
	return os.Geteuid() == 0 && owner == of
}

// Repository returns the git directory of the work tree at top and the repository that it belongs to,
// which differ for a linked work tree. The error describes a file .git that could name any
// directory.
func Repository(top string) (dir, common string, err error) {
	own := filepath.Join(top, ".git")
	if fi, err := os.Lstat(own); err != nil {
		return "", "", errors.New("there is no git repository around " + top)
	} else if fi.IsDir() {
		return own, own, nil
	}
	if common, err = gitCommon(top); err == nil && common == "" {
		err = errors.New(own + " names no repository of its own")
	}
	dir, _ = gitDir(top)
	return disk.Real(dir), common, err
}

// gitCommon returns the repository of a linked work tree or a submodule at top, "" if it is in top
// itself. The file .git may come with an archive and name any directory, so a repository counts
// only if it belongs to the user and names top in turn, as git's own do. The error describes one
// that does not.
func gitCommon(top string) (string, error) {
	dir, ok := gitDir(top)
	if !ok {
		return "", nil
	}
	if dir = disk.Real(dir); !disk.IsDir(dir) || disk.Within(top, dir) {
		return "", nil
	}
	common, err := repositoryOf(dir, top)
	if err != nil {
		return "", fmt.Errorf("%s names %s as its repository, which %w: cases may not write to it", filepath.Join(top, ".git"), dir, err)
	}
	if disk.Within(top, common) {
		return "", nil
	}
	return common, nil
}

// repositoryOf returns the repository to which dir belongs, the git directory of the work tree at
// top.
func repositoryOf(dir, top string) (string, error) {
	common := dir
	if b, err := readGit(filepath.Join(dir, "commondir")); err == nil {
		common = disk.Real(absolutePath(dir, strings.TrimSpace(string(b))))
		if !disk.Within(filepath.Join(common, "worktrees"), dir) {
			return "", errors.New("is no work tree of " + common)
		}
	}
	for _, d := range []string{"objects", "refs"} {
		if !disk.IsDir(filepath.Join(common, d)) {
			return "", errors.New("is no repository")
		}
	}
	for _, path := range []string{dir, common} {
		if !isTrusted(path, top) {
			return "", errors.New("belongs to another user")
		}
	}
	if named, ok := workTreeOf(dir); !ok || disk.Real(named) != top {
		return "", errors.New("does not name " + top + " as its work tree ('git worktree repair' mends that)")
	}
	return common, nil
}

// workTreeOf returns the work tree that a git directory names: a linked one in the file gitdir,
// that of a submodule in the configuration.
func workTreeOf(dir string) (string, bool) {
	if b, err := readGit(filepath.Join(dir, "gitdir")); err == nil {
		return filepath.Dir(absolutePath(dir, strings.TrimSpace(string(b)))), true
	}
	b, err := readGit(filepath.Join(dir, "config"))
	if err != nil {
		return "", false
	}
	m := workTreeLine().FindSubmatch(b)
	if m == nil {
		return "", false
	}
	return absolutePath(dir, strings.Trim(strings.TrimSpace(string(m[1])), `"`)), true
}

// gitDir returns the directory that the file .git of a work tree names.
func gitDir(top string) (string, bool) {
	b, err := readGit(filepath.Join(top, ".git"))
	if err != nil {
		return "", false
	}
	named, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir:")
	return absolutePath(top, strings.TrimSpace(named)), ok
}

// gitAtMost bounds the size of a repository's file that is read, in bytes, because it may come from
// a clone.
const gitAtMost = 1 << 20

// readGit reads a file of a repository without blocking on a pipe.
func readGit(file string) ([]byte, error) { return disk.Reader{}.ReadFile(file, gitAtMost) }

func absolutePath(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
