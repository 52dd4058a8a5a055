package process

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestCgroupPlaces(t *testing.T) {
	t.Parallel()
	const v2 = "25 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
	for name, tt := range map[string]struct {
		own, mounts string
		want        []string
	}{
		"a terminal":             {"0::/user.slice/app.slice/t.scope\n", v2, []string{"/sys/fs/cgroup/user.slice/app.slice", "/sys/fs/cgroup/user.slice/app.slice/t.scope"}},
		"at the root":            {"0::/\n", v2, []string{"/sys/fs/cgroup"}},
		"hybrid":                 {"4:memory:/a\n0::/b\n", "30 25 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n", []string{"/sys/fs/cgroup/unified", "/sys/fs/cgroup/unified/b"}},
		"version 1":              {"4:memory:/a\n", "30 25 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", nil},
		"a part of it is there":  {"0::/docker/c1/x\n", "25 1 0:22 /docker/c1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", []string{"/sys/fs/cgroup", "/sys/fs/cgroup/x"}},
		"another part is there":  {"0::/a\n", "25 1 0:22 /b /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", nil},
		"outside of a namespace": {"0::/../a\n", v2, nil},
		"nothing is mounted":     {"0::/a\n", "", nil},
	} {
		if got := cgroupPlaces(tt.own, tt.mounts); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// madeUp returns a tree of plain directories with the files that the kernel would provide.
func madeUp(t *testing.T, controllers, enabled string) *cgroupTree {
	t.Helper()
	base := t.TempDir()
	session := filepath.Join(base, cgroupPrefix+strconv.Itoa(os.Getpid()))
	for _, dir := range []string{base, session} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for file, content := range map[string]string{"cgroup.controllers": controllers, "cgroup.subtree_control": enabled} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(content+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return &cgroupTree{find: func() []string { return []string{filepath.Join(base, "absent"), base} }}
}

func TestCgroup(t *testing.T) {
	t.Parallel()
	tree := madeUp(t, "cpu memory pids", "cpu")
	c := tree.open(Limits{Memory: 1 << 20, Processes: 7})
	if c == nil || !strings.HasPrefix(c.path, tree.base) {
		t.Fatalf("no cgroup in %+v", tree)
	}
	for file, want := range map[string]string{
		"memory.max": "1048576", "memory.swap.max": "0", "pids.max": "23", "../cgroup.subtree_control": "+pids", "../../cgroup.subtree_control": "+pids",
	} {
		if b, err := os.ReadFile(filepath.Join(c.path, file)); err != nil || string(b) != want {
			t.Errorf("%s is %q, %v, want %q", file, b, err, want)
		}
	}
	events := func(n int) {
		if err := c.set("memory.events", "low 0\nmax 9\noom 3\noom_kill "+strconv.Itoa(n)+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		kills int
		want  bool
	}{{0, false}, {2, true}, {2, false}, {3, true}} {
		if events(tt.kills); c.hasExceeded() != tt.want {
			t.Errorf("after %d kills: exceeded is %v", tt.kills, !tt.want)
		}
	}
	if c.remove(); tree.live != 0 {
		t.Errorf("%d are there still", tree.live)
	}
}

func TestNoCgroup(t *testing.T) {
	t.Parallel()
	for name, tree := range map[string]*cgroupTree{
		"no memory controller": madeUp(t, "cpu pids memoryless", ""),
		"nowhere":              {find: func() []string { return nil }},
	} {
		if c := tree.open(Limits{Memory: 1}); c != nil || !tree.none {
			t.Errorf("%s: %+v", name, c)
		}
	}
	tree := madeUp(t, "memory", "memory")
	if c := tree.open(Limits{}); c != nil {
		t.Errorf("one without a bound: %+v", c)
	}
}

// TestSweep removes the cgroups of a killed hookwatch, and no others.
func TestSweep(t *testing.T) {
	t.Parallel()
	const dead = 1 << 30 // no PID
	base := t.TempDir()
	self := cgroupPrefix + strconv.Itoa(os.Getpid())
	for _, dir := range []string{cgroupPrefix + strconv.Itoa(dead) + "/case-1", self + "/case-1", cgroupPrefix + "other", "case-1"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Kill(dead, 0); err != unix.ESRCH {
		t.Fatalf("a process %d: %v", dead, err)
	}
	sweepCgroups(base)
	entries, _ := os.ReadDir(base)
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"case-1", self, cgroupPrefix + "other"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}
