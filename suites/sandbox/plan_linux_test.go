package sandbox

import (
	"path/filepath"
	"slices"
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
	quiet := p.changed
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
