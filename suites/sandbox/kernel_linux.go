package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"hookwatch/suites/disk"
	"hookwatch/suites/process"
	"hookwatch/suites/process/supervisor"
)

// userSettings are settings of the case's user namespace. It may create no other inside, in which it
// would have every capability, for example to mount the machine's cgroups; all other kinds of namespaces
// need a capability. A watch of a file keeps an inode in memory, and an instance up to 16,384 events with
// names.
var userSettings = []struct{ name, most string }{
	{"max_user_namespaces", "0"}, {"max_inotify_watches", "8192"}, {"max_inotify_instances", "16"},
}

// keysFile is mounted at /proc/keys, sysDir at /sys.
const (
	keysFile = "keys"
	sysDir   = "sys"
)

// shownOfSys and copiedOfSys are the parts of /sys that ordinary programs read: libc, node, Java
// and Go count processors and ask for the size of pages.
var (
	shownOfSys  = []string{"devices/system/cpu", "devices/system/node"}
	copiedOfSys = []string{"kernel/mm/transparent_hugepage"} // the files in it
)

// sys replaces the machine's /sys by a nearly empty directory.
func (s *script) sys() {
	if !disk.IsDir("/sys") {
		return
	}
	s.add(supervisor.Dir, sysDir, "755")
	for _, name := range shownOfSys {
		if from := path.Join("/sys", name); disk.IsDir(from) {
			at := path.Join(sysDir, name)
			s.add(supervisor.Dir, at, "755")
			s.readOnly(supervisor.Optional, from, at)
		}
	}
	for _, name := range copiedOfSys {
		s.add(supervisor.Dir, path.Join(sysDir, name), "755")
		files, _ := os.ReadDir(path.Join("/sys", name)) // none if the kernel lacks the feature
		for _, f := range files {
			if content, err := os.ReadFile(path.Join("/sys", name, f.Name())); f.Type().IsRegular() && err == nil {
				s.add(supervisor.File, path.Join(sysDir, name, f.Name()), "444", "0", string(content))
			}
		}
	}
	s.bind(sysDir, "/sys")
	s.add(supervisor.Attr, "/sys", number(unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOEXEC), "")
}

func accessAndInode(fi fs.FileInfo) (atime int64, inode uint64) {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Atim.Nano(), st.Ino
	}
	return 0, 0
}

// whiteout reports whether the entry marks a file as deleted from a view.
func whiteout(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && fi.Mode()&fs.ModeCharDevice != 0 && st.Rdev == 0
}

// opaque reports whether a directory in a view's upper layer hides the whole lower one.
func opaque(path string) bool {
	var b [1]byte
	n, err := unix.Lgetxattr(path, "user.overlay.opaque", b[:])
	return err == nil && n == 1 && b[0] == 'y'
}

// nextData returns the next range of a file's data from an offset, false if there is none.
func nextData(f *os.File, from, size int64) (begin, end int64, ok bool) {
	begin, err := f.Seek(from, unix.SEEK_DATA)
	if errors.Is(err, unix.ENXIO) {
		return 0, 0, false
	}
	if err != nil { // the file system does not support holes
		return from, size, true
	}
	if end, err = f.Seek(begin, unix.SEEK_HOLE); err != nil {
		end = size
	}
	return begin, end, true
}

// Bounds returns the limits of a sandbox, for users.
func (s *namespaced) Bounds() []Bound {
	processes := number(s.plan.o.processes())
	if memory, _ := s.MemoryBound(); memory != process.MemoryCgroup && s.plan.root && s.hasMissed(supervisor.Put, pidMax) {
		processes = "the time-out of a case"
	}
	bounds := []Bound{{"disk", megabytes(s.plan.o.Size)}, {"file", megabytes(s.plan.o.Size)}, {"processes", processes}}
	bounds = append(bounds, limitBounds(s.Supervisor)...)
	if memory, _ := s.MemoryBound(); memory == process.MemoryWatched {
		counted := "part of the memory; not counted: locks of files, shared mappings that a process gives up in part"
		if !callsKnown || s.hasMissed(supervisor.Filter) {
			counted = "part of the memory, memfds are not (no seccomp)"
		}
		bounds = append(bounds, Bound{unmapped, counted})
	}
	calls := "those that hooks do without are refused (seccomp)"
	if !callsKnown || s.hasMissed(supervisor.Filter) {
		calls = "not filtered: this kernel has no seccomp"
	}
	nested := "none"
	if s.hasMissed(supervisor.Put, "/proc/sys/user/max_user_namespaces") {
		nested = "not bounded"
	}
	return append(bounds, Bound{"system calls", calls}, Bound{"namespaces", nested}, Bound{"/sys", "processors, memory nodes and page sizes only"})
}

// hasMissed reports whether an optional step failed that begins with the fields.
func (s *namespaced) hasMissed(fields ...string) bool {
	return slices.ContainsFunc(s.Missed, func(e *process.ConfineError) bool {
		step := slices.Clone([]string(e.Step))
		step[0] = strings.TrimPrefix(step[0], supervisor.Optional)
		return len(step) >= len(fields) && slices.Equal(step[:len(fields)], fields)
	})
}
