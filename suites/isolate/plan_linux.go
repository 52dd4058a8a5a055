package isolate

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"hookwatch/suites/disk"
	"hookwatch/suites/isolate/mask"
	"hookwatch/suites/isolate/syscalls"
	"hookwatch/suites/process"
	"hookwatch/suites/process/supervisor"
)

// The descriptors of the steps beside the storage: those of the views, of the devices
// and of clones follow one another without gaps. A process with threads that uses a
// number above 63 for the first time waits for the kernel to let all processors pass
// (8 to 17 ms), and some systems refuse those above 255 (RLIMIT_NOFILE).
const (
	passing     = supervisor.StorageFD + 1 // of what is used by the next step alone
	firstView   = supervisor.StorageFD + 2
	endOfClones = 239
)

// Advance is what is the same for all cases at all times. No mount is among it:
// one that somebody takes away must go from a namespace that waits as well.
func (p *Plan) Advance() []process.Step {
	s := &script{p: p}
	s.add(supervisor.Loopback)
	s.add(supervisor.Optional + supervisor.Keyring)
	return s.steps
}

func (p *Plan) steps(sandbox *Sandbox, search, dirs []string) []process.Step {
	s := &script{p: p, l: sandbox.layout, reach: make(map[string]bool), masked: sandbox.masks, given: sandbox.dir}
	s.firstDevice = firstView + len(s.l.roots)
	s.next = s.firstDevice + len(p.devices)
	dir := disk.Real(sandbox.dir)
	s.mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	for i, r := range s.l.roots {
		s.add(supervisor.Open, number(firstView+i), r)
	}
	s.cloneDevices()
	// Nothing can be written, nor any device opened, but what is mounted below.
	s.add(supervisor.Attr, "/", number(unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NODEV), "r")
	shown := s.cloneShown(search)
	s.mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOATIME, fmt.Sprintf("mode=755,size=%d,nr_inodes=%d", p.o.Size, p.o.Size/4096+1000))
	s.add(supervisor.Open, number(supervisor.StorageFD), dir)
	s.add(supervisor.Dir, storage(caseDir), "755")
	for _, d := range dirs {
		s.add(supervisor.Dir, storage(caseDir+"/"+d), "755")
	}
	s.makeDevices()
	s.masks(sandbox.masks)
	s.sockets()
	s.places(dir, shown)
	s.sys()
	s.finish()
	return s.steps
}

func (s *script) cloneDevices() {
	for i, d := range s.p.devices {
		s.add(supervisor.Clone, number(s.firstDevice+i), "/dev/"+d)
	}
}

// makeDevices builds a /dev without disks and consoles: root would be let in.
func (s *script) makeDevices() {
	s.add(supervisor.Dir, storage(deviceFS), "755")
	// Overlays mark what was removed with such attributes.
	s.add(supervisor.Xattr, storage(deviceFS), "user.hookwatch", "y")
	for i, d := range s.p.devices {
		at := storage(deviceFS + "/" + d)
		s.add(supervisor.Blank, at)
		s.add(supervisor.Attach, number(s.firstDevice+i), at)
	}
	for _, l := range deviceLinks {
		s.add(supervisor.Symlink, l.target, storage(deviceFS+"/"+l.name))
	}
	s.add(supervisor.Dir, storage(deviceFS+"/shm"), "1777")
	s.add(supervisor.Dir, storage(deviceFS+"/pts"), "755")
	s.add(supervisor.Optional+supervisor.Mount, "devpts", storage(deviceFS+"/pts"), "devpts",
		number(unix.MS_NOSUID|unix.MS_NOEXEC), "newinstance,ptmxmode=0666,mode=620")
}

var deviceLinks = []struct{ name, target string }{
	{"fd", "/proc/self/fd"}, {"stdin", "/proc/self/fd/0"}, {"stdout", "/proc/self/fd/1"}, {"stderr", "/proc/self/fd/2"}, {"ptmx", "pts/ptmx"},
}

// A place is something to be mounted.
type place struct {
	at   string
	make func()
}

// places mounts everything in its place, outer ones first.
func (s *script) places(dir string, shown map[string]int) {
	all := []place{{"/dev", func() { s.bind(storage(deviceFS), "/dev") }}}
	for i, at := range s.l.private {
		name := storage(placeDir + number(i))
		all = append(all, place{at, func() {
			s.add(supervisor.Dir, name, mode(at))
			s.bind(name, at)
		}})
	}
	for i, v := range s.l.views {
		all = append(all, place{v.at, func() { s.view(i, v) }})
	}
	for at, n := range shown {
		all = append(all, place{at, func() { s.attach(n, at) }})
	}
	all = append(all, place{dir, func() { s.bind(storage(caseDir), dir) }})
	slices.SortStableFunc(all, func(a, b place) int { return disk.ByDepth(a.at, b.at) })
	for _, p := range all {
		if !s.beside(p.at) {
			s.lead(p.at)
		}
		p.make()
	}
	for _, given := range []string{s.p.o.Root, s.p.o.Home, s.given} {
		s.lead(given) // by the symbolic links that it is named with
	}
}

// beside reports whether a place lies in a directory that was split: the way to
// it is there.
func (s *script) beside(at string) bool {
	return slices.ContainsFunc(s.l.views, func(v view) bool { return v.split != nil && v.at != at && disk.Within(v.at, at) })
}

func (s *script) attach(n int, at string) {
	if fi, err := os.Stat(at); err == nil && !fi.IsDir() && s.covered(at) {
		s.add(supervisor.Optional+supervisor.Blank, at)
	}
	s.add(supervisor.Optional+supervisor.Attach, number(n), at)
}

// cloneShown takes hold of what would be hidden and must not be: programs in
// private directories.
func (s *script) cloneShown(search []string) map[string]int {
	shown := make(map[string]int)
	var wanted []string
	for _, d := range search {
		d = disk.Real(d)
		if disk.IsDir(d) && s.covered(d) {
			wanted = append(wanted, installation(d))
		}
		for _, f := range s.p.installed.of(d, s.covered) {
			if at := installation(filepath.Dir(f)); s.covered(at) {
				wanted = append(wanted, at)
			} else {
				wanted = append(wanted, f)
			}
		}
	}
	for _, f := range slices.Concat(s.p.o.Shown, []string{"/run/current-system", "/run/wrappers"}) {
		if f = disk.Real(f); s.covered(f) {
			if _, err := os.Stat(f); err == nil {
				wanted = append(wanted, f)
			}
		}
	}
	for _, at := range sortedSet(wanted) {
		if s.next == endOfClones {
			break
		}
		s.add(supervisor.Optional+supervisor.Clone, number(s.next), at)
		shown[at] = s.next
		s.next++
	}
	return shown
}

// installation is the directory that programs in dir need: the one above for
// prefix/bin, unless that is a private place itself.
func installation(dir string) string {
	up := filepath.Dir(dir)
	if filepath.Base(dir) != "bin" || strings.Count(up, "/") < 2 {
		return dir
	}
	return up
}

// lead makes the way to a path where it goes through private directories: the
// directories on it, and the symbolic links.
func (s *script) lead(path string) {
	if path == "" {
		return
	}
	rest := strings.Split(strings.TrimPrefix(filepath.Clean(path), "/"), "/")
	at := "/"
	for links := 0; len(rest) > 0 && links < 40; {
		at, rest = filepath.Join(at, rest[0]), rest[1:]
		hidden := slices.ContainsFunc(s.l.private, func(d string) bool { return disk.Within(d, at) && at != d })
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

// pidMax bounds the processes of a PID namespace, since Linux 6.14.
const pidMax = "/proc/sys/kernel/pid_max"

// finish mounts /proc and gives up all that could undo a step.
func (s *script) finish() {
	s.mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	// Once around, the kernel gives no PID below 300 again.
	s.add(supervisor.Optional+supervisor.Put, pidMax, number(reservedPIDs+s.p.processes()))
	s.boundNamespaces()
	s.keys()
	// Root may write there without any capability, core_pattern for one.
	s.add(supervisor.Attr, "/proc", number(unix.MOUNT_ATTR_RDONLY), "")
	keep := []string{supervisor.Privileges}
	if s.p.root {
		for _, c := range rootKeeps {
			keep = append(keep, number(c))
		}
	} else {
		s.add(supervisor.Limit, number(unix.RLIMIT_NPROC), number(s.p.processes()))
	}
	s.add(keep...)
	if syscalls.Known {
		s.add(syscalls.Filter(s.p.o.Size)...)
	}
}

// rootKeeps is what root can do with files, as without a sandbox. None of it
// reaches mounts, devices, the network or other processes.
var rootKeeps = []int{
	unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID,
	unix.CAP_KILL, unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_NET_BIND_SERVICE,
}

// view shows a directory with what the case writes to it on top.
func (s *script) view(i int, v view) {
	root := fd(firstView + v.root)
	name := viewDir + number(i)
	switch {
	case v.shown:
		s.add(supervisor.Optional+supervisor.Mount, root+"/"+v.rel, v.at, "", number(unix.MS_BIND|unix.MS_REC), "")
		return
	case v.split != nil:
		s.split(root, name+"/upper", v)
		return
	case v.rel != ".":
		s.add(supervisor.Open, number(passing), root+"/"+v.rel)
		root = fd(passing)
	}
	s.add(supervisor.Dir, storage(name+"/upper"), mode(v.at))
	s.add(supervisor.Dir, storage(name+"/work"), "700")
	s.mount("overlay", v.at, "overlay", unix.MS_NOSUID|unix.MS_NODEV,
		"lowerdir="+root+",upperdir="+storage(name+"/upper")+",workdir="+storage(name+"/work")+",userxattr")
}

// split makes a directory in which something is mounted.
func (s *script) split(root, upper string, v view) {
	hidden := func(rel string) bool {
		path := filepath.Join(v.at, rel)
		return slices.ContainsFunc(s.masked, func(m mask.Mask) bool { return disk.Within(m.Path, path) })
	}
	s.dirOnce(upper, v.at)
	for _, rel := range v.split.dirs {
		if !hidden(rel) {
			s.dirOnce(upper+"/"+rel, filepath.Join(v.at, rel))
		}
	}
	for _, rel := range slices.Sorted(maps.Keys(v.split.links)) {
		if !hidden(rel) {
			s.add(supervisor.Symlink, v.split.links[rel], storage(upper+"/"+rel))
		}
	}
	large := slices.DeleteFunc(slices.Clone(v.split.large), hidden)
	for _, rel := range large {
		s.add(supervisor.Blank, storage(upper+"/"+rel))
	}
	s.bind(storage(upper), v.at)
	// The storage notes no access; what is masked tells by it that it was read.
	s.mount("", v.at, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_RELATIME, "")
	for _, rel := range slices.Concat(large, slices.DeleteFunc(slices.Clone(v.split.inner), hidden)) {
		s.add(supervisor.Optional+supervisor.Mount, root+"/"+rel, filepath.Join(v.at, rel), "", number(unix.MS_BIND|unix.MS_REC), "")
	}
}
