package isolate

import (
	"path"

	"golang.org/x/sys/unix"

	"hookwatch/suites/disk"
	"hookwatch/suites/process/supervisor"
)

// nested are the kinds of namespaces that a case could make inside of its own, to
// have every capability there: to mount the machine's cgroups, for one.
var nested = []string{"user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time"}

// boundNamespaces lets nobody in the case's user namespace make others. /proc is
// not read-only yet.
func (s *script) boundNamespaces() {
	for _, kind := range nested {
		s.add(supervisor.Optional+supervisor.Put, "/proc/sys/user/max_"+kind+"_namespaces", "0")
	}
}

// keys hides the names of keys, which are those of the machine's user.
func (s *script) keys() {
	s.add(supervisor.Blank, storage(keysFile))
	s.add(supervisor.Optional+supervisor.Mount, storage(keysFile), "/proc/keys", "", number(unix.MS_BIND), "")
	s.add(supervisor.Optional+supervisor.Attr, "/proc/keys", number(unix.MOUNT_ATTR_RDONLY), "")
}

// keysFile is what is at /proc/keys, sysDir at /sys.
const (
	keysFile = "keys"
	sysDir   = "sys"
)

// shownOfSys is what ordinary programs read of the kernel's view of the machine:
// libc, node, Java and Go count processors, and ask for the size of pages.
var shownOfSys = []string{"devices/system/cpu", "devices/system/node", "kernel/mm/transparent_hugepage"}

// sys puts a directory with next to nothing in the place of the machine's /sys.
func (s *script) sys() {
	if !disk.IsDir("/sys") {
		return
	}
	s.add(supervisor.Dir, storage(sysDir), "755")
	for _, name := range shownOfSys {
		if from := path.Join("/sys", name); disk.IsDir(from) {
			at := storage(path.Join(sysDir, name))
			s.add(supervisor.Dir, at, "755")
			s.readOnly(supervisor.Optional, from, at)
		}
	}
	s.bind(storage(sysDir), "/sys")
	s.add(supervisor.Attr, "/sys", number(unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOEXEC), "")
}
