package process

import (
	"sync"
	"time"
)

// ending counts the boxes that are being taken down.
var ending pending

type pending struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed when there are none; nil: nobody waits
}

func (p *pending) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
}

func (p *pending) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n--; p.n == 0 && p.none != nil {
		close(p.none)
		p.none = nil
	}
}

// wait returns when there are none, or after a while.
func (p *pending) wait(bound time.Duration) {
	p.mu.Lock()
	if p.n == 0 {
		p.mu.Unlock()
		return
	}
	if p.none == nil {
		p.none = make(chan struct{})
	}
	none := p.none
	p.mu.Unlock()
	select {
	case <-none:
	case <-time.After(bound):
	}
}

// awaitRemoval waits until the cgroups of boxes that end are gone: a process that
// ended before would leave them behind.
func awaitRemoval() {
	cgroups.mu.Lock()
	live := cgroups.live
	cgroups.mu.Unlock()
	if live > 0 {
		ending.wait(killBound)
	}
}
