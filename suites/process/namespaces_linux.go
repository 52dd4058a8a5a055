package process

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// apart puts the supervisor into namespaces of its own: users, mounts,
// processes, IPC and network.
func apart(a *syscall.SysProcAttr) {
	a.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWNET
	if os.Geteuid() == 0 {
		a.UidMappings = ownIDs("/proc/self/uid_map")
		a.GidMappings = ownIDs("/proc/self/gid_map")
		a.GidMappingsEnableSetgroups = true
		return
	}
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	// What process 1 of the namespaces needs to carry its steps out. It gives all
	// of it up before a hook starts.
	a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_SYS_RESOURCE}
}

// ownIDs maps every user or group that we know to itself.
func ownIDs(file string) []syscall.SysProcIDMap {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var ids []syscall.SysProcIDMap
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		var inside, outside, size int
		if n, err := fmt.Sscan(lines.Text(), &inside, &outside, &size); err == nil && n == 3 {
			ids = append(ids, syscall.SysProcIDMap{ContainerID: inside, HostID: inside, Size: size})
		}
	}
	return ids
}
