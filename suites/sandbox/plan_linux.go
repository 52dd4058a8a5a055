package sandbox

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hookwatch/suites/disk"
	"hookwatch/suites/process"
	"hookwatch/suites/process/supervisor"
)

// machineRoot is the path of the machine's root directory in the sandbox until the sandbox is
// complete.
const machineRoot = "/.machine"

// Advance returns the steps that are the same for all cases at all times. They contain no mount,
// because a mount that the user removes must also disappear from a namespace that waits.
func (p *plan) Advance() []process.Step {
	s := &script{p: p}
	s.add(supervisor.Loopback)
	s.add(supervisor.Optional + supervisor.Keyring)
	return s.steps
}

// prospect plans the sandbox of a case that looks for programs in search.
func (p *plan) prospect(search []string) *prospect {
	l := p.layout()
	p.mu.Lock()
	last := p.last
	p.mu.Unlock()
	if last != nil && last.of == l && slices.Equal(last.search, search) && time.Since(last.made) < currency {
		return last
	}
	pr := &prospect{of: l, made: time.Now(), search: search, masks: p.masks(l)}
	needed := l.visiblePaths(p.o, search, &p.installed)
	sight, unseen := p.unseen(l, search, needed, pr.masks)
	pr.masks = outermost(append(pr.masks, unseen...))
	pr.layout = l.excludeMasked(pr.masks)
	s := &script{p: p, l: pr.layout, reach: make(map[string]bool), masked: pr.masks}
	s.enter()
	s.makeDevices()
	elsewhere := s.masks(pr.masks)
	s.parts(sight.entries)
	s.places(slices.Concat(s.visiblePlaces(needed), elsewhere), search)
	s.sys()
	pr.steps, pr.reach, pr.copies = s.steps, s.reach, s.copies
	p.mu.Lock()
	p.last = pr
	p.mu.Unlock()
	return pr
}

// stepsFor returns the steps of the sandbox of a case with the directory given.
func (p *plan) stepsFor(pr *prospect, given string, w Wanted) []process.Step {
	s := &script{p: p, l: pr.layout, reach: maps.Clone(pr.reach)}
	dir := disk.Real(given)
	if callsKnown && w.Observed {
		s.add(observeCalls(p.o.Size, s.observe(dir, given, w.Search), w.Turns)...)
	}
	s.mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	s.mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOATIME, fmt.Sprintf("mode=755,size=%d,nr_inodes=%d", p.o.Size, p.o.Size/4096+1000))
	s.add(supervisor.Open, number(supervisor.StorageFD), dir)
	s.add(supervisor.Dir, caseDir, "755")
	for _, d := range w.Dirs {
		s.add(supervisor.Dir, caseDir+"/"+d, "755")
	}
	s.steps = append(s.steps, pr.steps...)
	s.lead(dir)
	s.bind(caseDir, dir)
	s.lead(given)
	s.finish()
	return s.steps
}

// observe returns the rules for the paths that a case uses. What is in private directories is its
// own, except programs that are shown there.
func (s *script) observe(dir, given string, search []string) []string {
	session := []string{filepath.Dir(dir), filepath.Dir(given)}
	kept := []string{s.p.o.Root, disk.Real(s.p.o.Root), s.p.o.Home, disk.Real(s.p.o.Home)}
	for _, d := range search {
		if d = disk.Real(d); s.l.isCovered(d) && !disk.Within(session[0], d) {
			kept = append(kept, s.l.installation(d)...)
		}
	}
	return observedRules(slices.Concat(session, s.l.private), kept)
}

// enter creates a root directory that contains only the mount points of views, and makes it the
// root. The machine's root remains at machineRoot for the following steps.
func (s *script) enter() {
	s.add(supervisor.Dir, emptyDir, "755")
	root := viewDir + "0/upper" // "/" is the first view
	s.splitDirs(root, s.l.views[0])
	s.add(supervisor.Dir, root+machineRoot, "700")
	s.mount(root, root, "", unix.MS_BIND, "")
	s.add(supervisor.Pivot, root, root+machineRoot)
	s.mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
}

// makeDevices builds a /dev without disks and consoles, because root could open them.
func (s *script) makeDevices() {
	s.add(supervisor.Dir, deviceFS, "755")
	// Overlays mark removed files with such attributes.
	s.add(supervisor.Xattr, deviceFS, "user.hookwatch", "y")
	for _, d := range s.p.devices {
		at := deviceFS + "/" + d
		s.add(supervisor.Blank, at)
		s.mount(machineRoot+"/dev/"+d, at, "", unix.MS_BIND, "")
	}
	for _, l := range deviceLinks {
		s.add(supervisor.Symlink, l.target, deviceFS+"/"+l.name)
	}
	s.add(supervisor.Dir, deviceFS+"/shm", "1777")
	s.add(supervisor.Dir, deviceFS+"/pts", "755")
	s.add(supervisor.Optional+supervisor.Mount, "devpts", deviceFS+"/pts", "devpts",
		number(unix.MS_NOSUID|unix.MS_NOEXEC), "newinstance,ptmxmode=0666,mode=620,max=16")
}

var deviceLinks = []struct{ name, target string }{
	{"fd", "/proc/self/fd"}, {"stdin", "/proc/self/fd/0"}, {"stdout", "/proc/self/fd/1"}, {"stderr", "/proc/self/fd/2"}, {"ptmx", "pts/ptmx"},
}

// A place is something to mount.
type place struct {
	at   string
	make func()
}

// places mounts everything, outer places first.
func (s *script) places(more []place, search []string) {
	all := append(more, place{"/dev", func() { s.bind(deviceFS, "/dev") }})
	for i, at := range s.l.private {
		name := placeDir + number(i)
		all = append(all, place{at, func() {
			s.add(supervisor.Dir, name, mode(at))
			s.bind(name, at)
		}})
	}
	for i, v := range s.l.views[1:] {
		all = append(all, place{v.at, func() { s.view(i+1, v) }})
	}
	slices.SortStableFunc(all, func(a, b place) int { return disk.ByDepth(a.at, b.at) })
	for _, p := range all {
		if s.l.inPrivate(p.at) {
			s.lead(p.at)
		}
		p.make()
	}
	for _, named := range slices.Concat([]string{s.p.o.Root, s.p.o.Home}, search) {
		if !slices.Contains(usualPrograms, named) {
			s.lead(named) // also by the symbolic links in its name
		}
	}
}

// visiblePlaces returns the places that private directories would hide but that must be visible: programs.
func (s *script) visiblePlaces(needed []string) (places []place) {
	for i, at := range needed {
		fi, err := os.Stat(at)
		switch {
		case err != nil, !s.l.isCovered(at):
		case fi.IsDir():
			places = append(places, place{at, func() { s.readOnly(supervisor.Optional, at, at) }})
		case fi.Mode().IsRegular(): // mounted from an overlay of its directory
			dir := shownDir + "/" + number(i)
			places = append(places, place{at, func() {
				s.add(supervisor.Dir, dir, "755")
				s.readOnly(supervisor.Optional, filepath.Dir(at), dir)
				s.add(supervisor.Optional+supervisor.Blank, at)
				s.add(supervisor.Optional+supervisor.Mount, dir+"/"+filepath.Base(at), at, "", number(unix.MS_BIND), "")
			}})
		}
	}
	return places
}

// parts puts the visible part of files of a home over them.
func (s *script) parts(entries []homeEntry) {
	for _, e := range entries {
		v, rel := s.l.viewOf(e.real)
		if e.kind == asIs || e.kind == empty || s.l.homeOf(e.real) == "" || !s.l.views[v].write {
			continue
		}
		upper := viewDir + number(v) + "/upper"
		s.dirsOnce(upper, s.l.views[v].at, rel)
		if at := upper + "/" + rel; !s.reach[at] {
			s.reach[at] = true
			s.file(e.real, at, e.kind)
		}
	}
}

// lead creates the directories and symbolic links on the way to a path in private directories.
func (s *script) lead(path string) {
	if path == "" {
		return
	}
	rest := strings.Split(strings.TrimPrefix(filepath.Clean(path), "/"), "/")
	at := "/"
	for links := 0; len(rest) > 0 && links < 40; {
		at, rest = filepath.Join(at, rest[0]), rest[1:]
		hidden := s.l.inPrivate(at)
		fi, err := os.Lstat(at)
		switch {
		case err != nil:
			return
		case fi.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(at)
			if err != nil {
				return
			}
			if hidden && !s.reach[at] {
				s.reach[at] = true
				s.add(supervisor.Optional+supervisor.Symlink, target, at)
			}
			links++
			rest = append(strings.Split(strings.Trim(target, "/"), "/"), rest...)
			at = filepath.Dir(at)
			if filepath.IsAbs(target) {
				at = "/"
			}
		case hidden && fi.IsDir() && !s.reach[at]:
			s.reach[at] = true
			s.add(supervisor.Optional+supervisor.Dir, at, strconv.FormatUint(uint64(fi.Mode().Perm()), 8))
		}
	}
}

// pidMax limits the processes of a PID namespace, since Linux 6.14.
const pidMax = "/proc/sys/kernel/pid_max"

// finish detaches the machine's files and drops every privilege that could undo a step.
func (s *script) finish() {
	// After a wraparound the kernel no longer assigns PIDs below 300.
	s.add(supervisor.Optional+supervisor.Put, pidMax, number(reservedPIDs+s.p.o.processes()))
	for _, u := range userSettings { // before /proc becomes read-only
		s.add(supervisor.Optional+supervisor.Put, "/proc/sys/user/"+u.name, u.most)
	}
	s.add(supervisor.Blank, keysFile) // the names of keys belong to the user
	s.add(supervisor.Optional+supervisor.Mount, keysFile, "/proc/keys", "", number(unix.MS_BIND), "")
	s.add(supervisor.Optional+supervisor.Attr, "/proc/keys", number(unix.MOUNT_ATTR_RDONLY), "")
	// Root may write there without any capability, for example to core_pattern.
	s.add(supervisor.Attr, "/proc", number(unix.MOUNT_ATTR_RDONLY), "")
	s.add(supervisor.Detach, machineRoot)
	s.add(supervisor.Attr, "/", number(unix.MOUNT_ATTR_RDONLY), "")
	keep := []string{supervisor.Privileges}
	if s.p.root {
		for _, c := range rootKeeps {
			keep = append(keep, number(c))
		}
	} else {
		s.add(supervisor.Limit, number(unix.RLIMIT_NPROC), number(s.p.o.processes()))
	}
	s.add(keep...)
	if callsKnown {
		s.p.filterMade.Do(func() { s.p.filter = filterCalls(s.p.o.Size) })
		s.add(s.p.filter...)
	}
}

// rootKeeps are the capabilities for files that root keeps, as without a sandbox. None of them
// affects mounts, devices, the network or processes outside.
var rootKeeps = []int{
	unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID,
	unix.CAP_KILL, unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_NET_BIND_SERVICE,
}

// view mounts a directory, with an upper layer for the case's changes.
func (s *script) view(i int, v view) {
	name := viewDir + number(i)
	switch {
	case v.split != nil:
		s.split(name+"/upper", v)
	case !v.write && v.mount: // the system may refuse it without affecting other mounts
		s.readOnly(supervisor.Optional, v.at, v.at)
	case !v.write:
		s.readOnly("", v.at, v.at)
	default:
		s.add(supervisor.Dir, name+"/upper", mode(v.at))
		s.add(supervisor.Dir, name+"/work", "700")
		s.add(supervisor.Overlay, machineRoot+v.at, v.at, number(unix.MS_NOSUID|unix.MS_NODEV),
			",upperdir="+(name+"/upper")+",workdir="+(name+"/work")+",userxattr")
	}
}

// readOnly mounts a directory of the machine without giving access to its inodes. The empty layer
// is needed because a read-only overlay has at least two layers.
func (s *script) readOnly(optional, dir, at string) {
	s.add(optional+supervisor.Overlay, machineRoot+dir, at, number(unix.MS_NOSUID|unix.MS_NODEV|unix.MS_RDONLY), ":"+emptyDir+",userxattr")
}

// split creates a directory that contains mounts.
func (s *script) split(upper string, v view) {
	s.splitDirs(upper, v)
	s.bind(upper, v.at)
	// The storage records no access times, but masksRead needs them.
	flags := unix.MS_REMOUNT | unix.MS_BIND | unix.MS_NOSUID | unix.MS_NODEV | unix.MS_RELATIME
	if !v.write {
		flags |= unix.MS_RDONLY
	}
	s.mount("", v.at, "", flags, "")
}

// splitDirs creates the directories, files and symbolic links of a split in the storage.
func (s *script) splitDirs(upper string, v view) {
	hidden := func(rel string) bool {
		path := filepath.Join(v.at, rel)
		return slices.ContainsFunc(s.masked, func(m mask) bool { return disk.Within(m.Path, path) })
	}
	s.dirOnce(upper, v.at)
	for _, rel := range v.split.dirs {
		if !hidden(rel) {
			s.dirOnce(upper+"/"+rel, filepath.Join(v.at, rel))
		}
	}
	for _, rel := range v.split.files {
		if !hidden(rel) {
			s.file(filepath.Join(v.at, rel), upper+"/"+rel, asIs)
		}
	}
	for _, rel := range slices.Sorted(maps.Keys(v.split.links)) {
		if !hidden(rel) {
			s.add(supervisor.Symlink, v.split.links[rel], upper+"/"+rel)
		}
	}
}

// A script collects steps. Relative paths are in the storage, which becomes the working directory
// of the supervisor once opened.
type script struct {
	p      *plan
	l      *layout
	steps  []process.Step
	reach  map[string]bool
	masked []mask
	copies []copied // files that no step creates
}

func (s *script) add(fields ...string) { s.steps = append(s.steps, fields) }

func (s *script) mount(source, target, kind string, flags int, data string) {
	s.add(supervisor.Mount, source, target, kind, number(flags), data)
}

func (s *script) bind(source, target string) {
	s.mount(source, target, "", unix.MS_BIND|unix.MS_REC, "")
}

func number(n int) string { return strconv.Itoa(n) }

// mode returns the permissions of a directory for a step.
func mode(dir string) string {
	if fi, err := os.Stat(dir); err == nil && fi.Mode()&os.ModeSticky == 0 {
		return strconv.FormatUint(uint64(fi.Mode().Perm()), 8)
	}
	return "1777"
}
