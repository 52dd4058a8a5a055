package sandbox

import (
	"testing"
	"time"
)

// TestProspect holds when a sandbox is planned anew: after a moment, and at once where
// something was mounted or programs are looked for elsewhere.
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
		first.made = time.Now().Add(time.Hour) // however slow this machine is
		tt.before(first)
		if same := p.prospect(tt.search) == first; same != tt.same {
			t.Errorf("%s: planned anew: %v", name, !same)
		}
		p.last = nil
	}
}
