package sandbox

import (
	"testing"

	"hookwatch/suites/process"
)

// stale is a backend whose sandboxes are never current, as if mounts changed all the time.
type stale struct{ Backend }

func (stale) Advance() []process.Step { return nil }
func (stale) Fresh() bool             { return false }

// TestClosedPool checks that a case which opens a sandbox of a closed pool does not make it keep
// supervisors ready again, which nothing would end.
func TestClosedPool(t *testing.T) {
	t.Parallel()
	p := NewPool(PoolOptions{Choice: Choice{Backend: stale{}}})
	p.KeepReady(2)
	p.refresh()
	if p.ready != 2 {
		t.Errorf("a pool in use keeps %d ready, want 2", p.ready)
	}
	p.Close()
	p.refresh()
	if p.ready != 0 {
		t.Errorf("a closed pool keeps %d ready", p.ready)
	}
}
