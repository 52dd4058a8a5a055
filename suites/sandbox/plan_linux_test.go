package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookwatch/suites/process"
	"hookwatch/suites/process/supervisor"
)

// TestProspect checks that a sandbox is planned again after a moment, and immediately if something
// was mounted or the search path differs.
func TestProspect(t *testing.T) {
	t.Parallel()
	search := []string{"/usr/bin"}
	p := newPlan(Options{Root: t.TempDir(), Home: t.TempDir(), Size: 1 << 20})
	quiet := func() bool { return false } // other programs of this machine may mount something at any moment
	p.changed = quiet
	for name, tt := range map[string]struct {
		before func(*prospect)
		search []string
		same   bool
	}{
		"at once":        {func(*prospect) {}, search, true},
		"a moment later": {func(last *prospect) { last.made = time.Now().Add(-currency) }, search, false},
		"a mount":        {func(*prospect) { p.changed = func() bool { p.changed = quiet; return true } }, search, false},
		"another PATH":   {func(*prospect) {}, []string{"/opt/bin"}, false},
	} {
		first := p.prospect(search)
		first.made = time.Now().Add(time.Hour) // independent of the speed of this machine
		tt.before(first)
		if same := p.prospect(tt.search) == first; same != tt.same {
			t.Errorf("%s: planned again: %v", name, !same)
		}
		p.last = nil
	}
}

// TestReplanVanished checks that a sandbox is planned again if a directory of its plan vanished, also
// for several sandboxes with the same outdated plan.
func TestReplanVanished(t *testing.T) {
	t.Parallel()
	p := newPlan(Options{Root: t.TempDir(), Home: t.TempDir(), Size: 1 << 20})
	outdated := *p.current
	gone := filepath.Join(t.TempDir(), "gone")
	outdated.views = append(slices.Clone(outdated.views), view{at: gone})
	err := &process.ConfineError{Step: process.Step{supervisor.Overlay, machineRoot + gone, gone}, Err: syscall.ENOENT}
	for i := range 2 {
		if !p.replan(&outdated, err) {
			t.Errorf("sandbox %d was not planned again", i+1)
		}
	}
	if len(p.refused) > 0 {
		t.Errorf("refused for later sandboxes: %v", p.refused)
	}
}

// TestSplitEmpty checks that next to a mount an empty directory gets no overlay, but an unreadable
// one does, because its files may be reached by name.
func TestSplitEmpty(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, d := range []string{"empty", "full/x", "unread", "mounted"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	list := func(dir string) []fs.DirEntry {
		if filepath.Base(dir) == "unread" {
			return nil
		}
		return entries(dir)
	}
	l := &layout{machine: []string{root}}
	sp := splitter{l: l, list: list, link: target, mounts: []mount{{At: "/"}, {At: root}, {At: filepath.Join(root, "mounted")}}}
	sp.divide()
	var overlays []string
	for _, v := range l.views {
		if v.split == nil {
			overlays = append(overlays, filepath.Base(v.at))
		}
	}
	slices.Sort(overlays)
	if want := []string{"full", "unread"}; !slices.Equal(overlays, want) {
		t.Errorf("overlays of %v, want %v", overlays, want)
	}
}

func TestHere(t *testing.T) {
	t.Parallel()
	all := listMounts()
	if i := mountOf(all, "/proc/self"); i < 0 || all[i].Kind != "proc" {
		t.Errorf("/proc/self is on %d of %v", i, all)
	}
	if mountOf(all, "/") < 0 {
		t.Error("no mount at /")
	}
}

func FuzzUnescape(f *testing.F) {
	for _, s := range []string{"", `a\040b`, `\\`, `\777`, `a\04`, `\011\012\134`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := unescape(s)
		if !strings.Contains(s, `\`) && got != s {
			t.Errorf("%q became %q", s, got)
		}
		if len(got) > len(s) {
			t.Errorf("%q grew to %q", s, got)
		}
	})
}

func TestUnescape(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{`/a\040b`: "/a b", `/tab\011x`: "/tab\tx", `/back\134slash`: `/back\slash`, `/odd\9`: `/odd\9`} {
		if got := unescape(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// TestDescriptors checks that a sandbox is created without a descriptor above 63, because at the
// first of these a process with threads waits until all processors have passed through the kernel.
func TestDescriptors(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"p/.git/HEAD": "ref: refs/heads/main\n"})
	plan := newPlan(Options{Root: filepath.Join(root, "p"), Home: filepath.Join(root, "home"), Size: 1 << 20})
	errRefused := errors.New("refused")
	var opened []int
	_, err := plan.Open(func(s process.Setup) (*process.Supervisor, error) {
		opened = nil
		for _, step := range s.Steps {
			switch step[0] {
			case supervisor.Open:
				n, err := strconv.Atoi(step[1])
				if err != nil {
					t.Errorf("%q: %v", step, err)
				}
				opened = append(opened, n)
			}
		}
		return nil, errRefused
	}, Wanted{Dir: t.TempDir(), Search: filepath.SplitList(os.Getenv("PATH")), Dirs: []string{"tmp"}})
	if !errors.Is(err, errRefused) {
		t.Fatal(err)
	}
	if len(opened) != 1 || opened[0] != supervisor.StorageFD || opened[0] > 63 {
		t.Errorf("the steps open %v, want %d", opened, supervisor.StorageFD)
	}
}
