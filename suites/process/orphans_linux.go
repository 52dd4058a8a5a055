package process

import (
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Adopt makes hookwatch the parent of what a dead supervisor leaves, so that a
// hook which kills its own parent cannot slip away. Call it once, early; it
// fails only on kernels older than 3.4.
func Adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// supervisors are the living ones: every other child of ours that is not in our
// own session is an orphan of a dead one.
var supervisors = struct {
	starting sync.RWMutex // held for reading while one is started, for writing while orphans are ended
	sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

func startRegistered(start func() (*os.Process, error)) (*os.Process, error) {
	supervisors.starting.RLock()
	defer supervisors.starting.RUnlock()
	p, err := start()
	if err == nil {
		supervisors.Lock()
		supervisors.pids[p.Pid] = true
		supervisors.Unlock()
	}
	return p, err
}

func unregister(pid int) {
	supervisors.Lock()
	defer supervisors.Unlock()
	delete(supervisors.pids, pid)
}

// endOrphans ends every child of ours that no living supervisor accounts for.
func endOrphans() {
	supervisors.starting.Lock()
	defer supervisors.starting.Unlock()
	for {
		pids := orphans()
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = unix.Kill(pid, unix.SIGKILL)
			var status unix.WaitStatus
			_, _ = unix.Wait4(pid, &status, 0, nil)
		}
	}
}

func orphans() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	session, err := unix.Getsid(0)
	if err != nil {
		return nil
	}
	self := os.Getpid()
	supervisors.Lock()
	defer supervisors.Unlock()
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || supervisors.pids[pid] {
			continue
		}
		if st, ok := stat(pid); ok && st.parent == self && st.session != session {
			pids = append(pids, pid)
		}
	}
	return pids
}

type procStat struct{ parent, session int }

// stat reads /proc/PID/stat. The name in it may hold anything, so fields count
// from the last parenthesis.
func stat(pid int) (procStat, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return procStat{}, false
	}
	_, rest, _ := strings.Cut(string(b[max(0, strings.LastIndexByte(string(b), ')')):]), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 4 {
		return procStat{}, false
	}
	parent, _ := strconv.Atoi(fields[1])
	session, _ := strconv.Atoi(fields[3])
	return procStat{parent, session}, true
}
