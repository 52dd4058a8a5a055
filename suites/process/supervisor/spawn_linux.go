package supervisor

import (
	"strconv"
	"syscall"
)

// The values of Env.
const (
	RoleSupervisor = "1"
	RoleSpawner    = "spawner"
)

// Spawn asks a spawner for a supervisor, which becomes a child of the spawner's own
// parent. Fields: clone flags, "1" to leave setgroups allowed, the numbers of each mapping
// of users (inside, outside, size) separated by spaces, those of groups, the ambient
// capabilities separated by spaces. The message comes with the supervisor's end of its
// socket, and with the directory of its cgroup if it has one. It is answered by Spawned:
// errno, PID.
//
// A process in a user namespace cannot be started by vfork, so its parent's page tables
// are copied and every page of the parent faults afterwards. A spawner has few pages;
// hookwatch has many.
const (
	Spawn   = "spawn"
	Spawned = "spawned"
)

// Argv and Environment are the arguments and the environment of a supervisor.
var (
	Argv = []string{"hookwatch-case"}
	// Few threads, because hooks may use up all processes.
	Environment = []string{Env + "=" + RoleSupervisor, "GOGC=off", "GOMAXPROCS=2"}
)

// Program is hookwatch's own executable, even if its file was replaced or removed.
const Program = "/proc/self/exe"

func spawnAll() {
	setName("hookwatch-spawn")
	for {
		m, files, ok := receive()
		if !ok || len(m) != 6 || len(files) == 0 {
			return
		}
		pid, errno := spawn(m[1:], files)
		for _, f := range files {
			_ = syscall.Close(f)
		}
		send(-1, Spawned, strconv.Itoa(int(errno)), strconv.Itoa(pid))
	}
}

func spawn(m []string, files []int) (pid int, errno syscall.Errno) {
	const cloneParent = 0x8000
	attr := &syscall.ProcAttr{
		Dir:   "/",
		Env:   Environment,
		Files: []uintptr{0, 1, 2, uintptr(files[0])},
		Sys: &syscall.SysProcAttr{
			Setsid:                     true, // no terminal for hooks
			Cloneflags:                 uintptr(number(m[0], 10)) | cloneParent,
			GidMappingsEnableSetgroups: m[1] == "1",
			UidMappings:                mappings(m[2]),
			GidMappings:                mappings(m[3]),
		},
	}
	for _, c := range split([]byte(m[4]), ' ') {
		attr.Sys.AmbientCaps = append(attr.Sys.AmbientCaps, uintptr(number(c, 10)))
	}
	if len(files) > 1 {
		attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, files[1]
	}
	pid, err := syscall.ForkExec(Program, Argv, attr)
	return pid, errnoOf(err)
}

func mappings(s string) (all []syscall.SysProcIDMap) {
	f := split([]byte(s), ' ')
	for i := 0; i+2 < len(f); i += 3 {
		all = append(all, syscall.SysProcIDMap{ContainerID: number(f[i], 10), HostID: number(f[i+1], 10), Size: number(f[i+2], 10)})
	}
	return all
}
