package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// cgroupPrefix and the PID of a hookwatch name the cgroup of its supervisors.
const cgroupPrefix = "hookwatch-"

// supervisorThreads is the number of processes in a cgroup that a supervisor needs.
const supervisorThreads = 16

// cgroups are the cgroups of this process's supervisors, one for each. Their parent exists while a
// supervisor has one.
var cgroups = cgroupTree{find: delegatedGroups}

type cgroupTree struct {
	find func() []string // returns the possible parent cgroups, the best first
	mu   sync.Mutex
	base string // parent of the session's cgroup; "" before the first one
	none bool   // no parent is possible
	live int    // supervisors that have one
	next int
}

// A cgroup contains one supervisor; nil is that of one without a limit by the kernel.
type cgroup struct {
	tree   *cgroupTree
	path   string
	dir    *os.File
	killed int // number of processes that the kernel had killed in it at the last call of exceeded
}

// delegatedGroups returns the cgroups of version 2 in which this process may be allowed to create others:
// the parent of its own, and its own.
func delegatedGroups() []string {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	return cgroupPlaces(string(own), string(mounts))
}

func cgroupPlaces(own, mounts string) []string {
	for line := range strings.Lines(own) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !ok || strings.HasPrefix(path, "/../") { // outside of a cgroup namespace
			continue
		}
		for line := range strings.Lines(mounts) {
			before, after, _ := strings.Cut(line, " - ")
			fields := strings.Fields(before)
			if len(fields) < 5 || !strings.HasPrefix(after, "cgroup2 ") {
				continue
			}
			rel, err := filepath.Rel(fields[3], path)
			if err != nil || !filepath.IsLocal(rel) {
				continue
			}
			at := filepath.Join(fields[4], rel)
			if rel == "." {
				return []string{at}
			}
			return []string{filepath.Dir(at), at}
		}
	}
	return nil
}

// open creates a cgroup for a supervisor. It returns nil if the system does not allow it.
func (t *cgroupTree) open(l Limits) *cgroup {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.none || l.Memory <= 0 {
		return nil
	}
	if t.base == "" && !t.choose() {
		t.none = true
		return nil
	}
	if t.live == 0 && prepareCgroup(t.base, t.session()) != nil {
		return nil
	}
	t.next++
	c := &cgroup{tree: t, path: filepath.Join(t.session(), "case-"+strconv.Itoa(t.next))}
	if err := c.make(l); err != nil {
		_ = unix.Rmdir(c.path)
		if t.live == 0 {
			_ = unix.Rmdir(t.session())
		}
		return nil
	}
	t.live++
	return c
}

// choose sets the parent cgroup, and removes cgroups of killed hookwatch processes from
// it.
func (t *cgroupTree) choose() bool {
	for _, base := range t.find() {
		t.base = base
		if err := prepareCgroup(base, t.session()); err == nil {
			sweepCgroups(base)
			return true
		}
		_ = unix.Rmdir(t.session())
	}
	t.base = ""
	return false
}

func (t *cgroupTree) session() string {
	return filepath.Join(t.base, cgroupPrefix+strconv.Itoa(os.Getpid()))
}

// prepareCgroup creates the session's cgroup in base and enables limits for its children.
func prepareCgroup(base, session string) error {
	if err := enable(base); err != nil {
		return err
	}
	if err := os.Mkdir(session, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return enable(session)
}

// enable permits limits on memory for the children of a cgroup, and on processes if the
// system has them.
func enable(dir string) error {
	has := func(file, controller string) bool {
		b, _ := os.ReadFile(filepath.Join(dir, file)) // an unreadable file names none
		return slices.Contains(strings.Fields(string(b)), controller)
	}
	if !has("cgroup.controllers", "memory") {
		return fmt.Errorf("%s: no memory controller", dir)
	}
	for _, controller := range []string{"memory", "pids"} {
		if has("cgroup.subtree_control", controller) || !has("cgroup.controllers", controller) {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte("+"+controller), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// sweepCgroups removes the empty cgroups of hookwatch processes that have ended.
func sweepCgroups(base string) {
	dirs, _ := filepath.Glob(filepath.Join(base, cgroupPrefix+"*"))
	for _, dir := range dirs {
		pid, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(dir), cgroupPrefix))
		if err != nil || !errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			continue
		}
		cases, _ := filepath.Glob(filepath.Join(dir, "case-*"))
		for _, c := range append(cases, dir) {
			_ = unix.Rmdir(c)
		}
	}
}

func (c *cgroup) make(l Limits) error {
	if err := os.Mkdir(c.path, 0o755); err != nil {
		return err
	}
	if err := c.set("memory.max", strconv.FormatInt(l.Memory, 10)); err != nil {
		return err
	}
	_ = c.set("memory.swap.max", "0") // fails on kernels without swap
	if l.Processes > 0 {
		_ = c.set("pids.max", strconv.Itoa(l.Processes+supervisorThreads))
	}
	var err error
	c.dir, err = os.Open(c.path)
	return err
}

func (c *cgroup) set(file, value string) error {
	return os.WriteFile(filepath.Join(c.path, file), []byte(value), 0o644)
}

// hasExceeded reports whether the kernel has killed a process in the cgroup since the last
// call, because it was out of memory.
func (c *cgroup) hasExceeded() bool {
	if c == nil {
		return false
	}
	b, err := os.ReadFile(filepath.Join(c.path, "memory.events"))
	if err != nil {
		return false
	}
	before := c.killed
	for line := range strings.Lines(string(b)) {
		if n, ok := strings.CutPrefix(line, "oom_kill "); ok {
			c.killed, _ = strconv.Atoi(strings.TrimSpace(n))
		}
	}
	return c.killed > before
}

// remove kills the remaining processes of the cgroup and removes it.
func (c *cgroup) remove() {
	if c == nil {
		return
	}
	_ = c.dir.Close()
	for begin := time.Now(); time.Since(begin) < killBound; time.Sleep(time.Millisecond) {
		if err := unix.Rmdir(c.path); !errors.Is(err, unix.EBUSY) {
			break
		}
		_ = c.set("cgroup.kill", "1")
	}
	c.tree.mu.Lock()
	defer c.tree.mu.Unlock()
	if c.tree.live--; c.tree.live == 0 {
		_ = unix.Rmdir(c.tree.session())
	}
}
