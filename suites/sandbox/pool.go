package sandbox

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"

	"hookwatch/suites/process"
)

// PoolOptions are common to all sandboxes of a pool.
type PoolOptions struct {
	Temp     string // an existing directory, in which the directories of cases are created
	Choice   Choice
	Prewarm  Wanted // of a case without special needs, without Dir
	KeepSize int64  // the limit of a kept sandbox in bytes; 0: none
}

// A held sandbox belongs to a case that is not judged yet.
type held struct {
	Sandbox
	wanted Wanted
	opened time.Time
	spare  bool // for the next case that wants the same
}

// A Pool opens sandboxes, and keeps supervisors and a sandbox ready. It is safe for
// concurrent use.
type Pool struct {
	o         PoolOptions
	mu        sync.Mutex
	reserve   *process.Reserve
	ready     int              // number of supervisors to keep in it
	held      map[string]*held // by directory
	spares    []*held          // see Spare
	prewarmed *prewarmed       // nil if there is none
}

// An advancer is a backend whose sandboxes can be created before the case is known, because they
// show files as they are when the case reads them.
type advancer interface {
	Advance() []process.Step // steps for a supervisor before the case is known
	Fresh() bool             // whether sandboxes created since the last call are still valid
}

// NewPool returns a pool with these options.
func NewPool(o PoolOptions) *Pool {
	p := &Pool{o: o, held: make(map[string]*held)}
	p.reserve = p.newReserve()
	return p
}

func (p *Pool) newReserve() *process.Reserve {
	reserve := &process.Reserve{Limits: p.o.Choice.Limits}
	if b, ok := p.o.Choice.Backend.(advancer); ok {
		reserve.Advance = b.Advance()
	}
	return reserve
}

func (p *Pool) supervisors() *process.Reserve {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reserve
}

// KeepReady keeps that many supervisors ready from now on, so that no case waits for
// the start of one. Close ends them.
func (p *Pool) KeepReady(supervisors int) {
	p.mu.Lock()
	p.ready = supervisors
	p.mu.Unlock()
	p.supervisors().Resize(supervisors)
}

// Close ends everything that is kept ready and waits for it. It does not affect running cases.
func (p *Pool) Close() {
	p.giveUp(p.takePrewarmed())
	p.discardSpares(true)
	p.o.Choice.probed.discard()
	p.mu.Lock()
	p.ready = 0 // a case that is opened now may replace the reserve
	reserve := p.reserve
	p.mu.Unlock()
	reserve.Close()
}

// Open creates the sandbox of a case, or returns the prewarmed one if the case needs no other. The pool
// keeps it until Discard or Keep.
func (p *Pool) Open(ctx context.Context, w Wanted) (Sandbox, error) {
	if err := p.o.Choice.Refusal(); err != nil {
		return nil, err
	}
	p.refresh()
	if p.o.Prewarm.suits(w) {
		if e := p.takePrewarmed(); e != nil {
			if <-e.made; e.sandbox != nil {
				return e.sandbox, nil
			}
		}
	}
	if s := p.o.Choice.probed.take(w); s != nil {
		p.hold(s.Dir(), s, w)
		return s, nil
	}
	if s := p.takeSpare(w); s != nil {
		return s, nil
	}
	return p.open(ctx, "case-", w) // hooks see the name, so it says nothing about the case
}

func (p *Pool) open(ctx context.Context, name string, w Wanted) (Sandbox, error) {
	dir, err := os.MkdirTemp(p.o.Temp, name)
	if err != nil {
		return nil, err
	}
	w.Dir = dir
	s, err := p.o.Choice.Backend.Open(ctx, func(s process.Setup) (*process.Supervisor, error) { return p.supervisors().Open(s) }, w)
	if err != nil {
		_ = remove(dir)
		return nil, err
	}
	p.hold(dir, s, w)
	return s, nil
}

func (p *Pool) hold(dir string, s Sandbox, w Wanted) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held[dir] = &held{Sandbox: s, wanted: w, opened: time.Now()}
}

// Spare reports whether the sandbox of a case is as it was created, except for files in one of its
// Dirs, which are removed. If so, it must not be closed: from Discard on it is there for other cases
// that want the same, as long as it is current. Files that a case saw in it may keep the content that
// they had then, although they were replaced.
func (p *Pool) Spare(s Sandbox, dir string) bool {
	p.mu.Lock()
	h := p.held[s.Dir()]
	p.mu.Unlock()
	renewable, ok := s.(interface{ Renew(dir string) bool })
	if !ok || h == nil || !p.o.Choice.current(h.opened) || !renewable.Renew(dir) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	h.spare = true
	return true
}

func (p *Pool) takeSpare(w Wanted) Sandbox {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.spares, func(h *held) bool { return h.wanted.suits(w) && p.o.Choice.current(h.opened) })
	if i < 0 {
		return nil
	}
	h := p.spares[i]
	p.spares = slices.Delete(p.spares, i, i+1)
	h.spare = false
	p.held[h.Dir()] = h
	return h.Sandbox
}

// discardSpares discards the spare sandboxes that are not up to date, or all.
func (p *Pool) discardSpares(all bool) {
	p.mu.Lock()
	var old, current []*held
	for _, h := range p.spares {
		if !all && p.o.Choice.current(h.opened) {
			current = append(current, h)
		} else {
			old = append(old, h)
		}
	}
	p.spares = current
	p.mu.Unlock()
	for _, h := range old {
		h.Sandbox.Discard()
		_ = remove(h.Dir())
	}
}

// refresh discards everything that was created before a mount that cases see was added or removed,
// because a namespace keeps the mounts of its creation.
func (p *Pool) refresh() {
	if b, ok := p.o.Choice.Backend.(advancer); !ok || b.Fresh() {
		return
	}
	p.CancelPrewarm()
	p.o.Choice.probed.discard()
	p.discardSpares(true)
	fresh := p.newReserve()
	p.mu.Lock()
	stale, size := p.reserve, p.ready
	p.reserve = fresh
	p.mu.Unlock()
	stale.Close()
	fresh.Resize(size)
}

// Discard ends a sandbox and deletes its directory, unless it is a spare one.
func (p *Pool) Discard(dir string) error {
	s := p.release(dir)
	if s != nil && s.spare {
		p.discardSpares(false)
		p.mu.Lock()
		p.spares = append(p.spares, s)
		p.mu.Unlock()
		return nil
	}
	if s != nil {
		s.Discard()
	}
	return remove(dir)
}

// Keep moves the files of a case to a directory that does not exist yet, within KeepSize.
func (p *Pool) Keep(dir, to string) error {
	s := p.release(dir)
	if s == nil {
		return move(dir, to, p.o.KeepSize)
	}
	defer s.Discard()
	return s.Keep(to, p.o.KeepSize)
}

func (p *Pool) release(dir string) *held {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.held[dir]
	delete(p.held, dir)
	return s
}

// A prewarmed sandbox is created while the case that gets it is not yet known.
type prewarmed struct {
	made    chan struct{} // closed after the sandbox was created, or creation failed
	sandbox Sandbox       // nil if creation failed
}

// Prewarm creates a sandbox for the next case without special needs and discards an unused earlier
// one. CancelPrewarm discards it.
func (p *Pool) Prewarm() {
	if _, ok := p.o.Choice.Backend.(advancer); !ok {
		return
	}
	p.CancelPrewarm()
	e := &prewarmed{made: make(chan struct{})}
	p.mu.Lock()
	p.prewarmed = e
	p.mu.Unlock()
	go func() {
		defer close(e.made)
		if s, err := p.open(context.Background(), "prewarmed-", p.o.Prewarm); err == nil {
			e.sandbox = s
		}
	}()
}

// CancelPrewarm discards a prewarmed sandbox without waiting.
func (p *Pool) CancelPrewarm() {
	if e := p.takePrewarmed(); e != nil {
		go p.giveUp(e)
	}
}

func (p *Pool) giveUp(e *prewarmed) {
	if e == nil {
		return
	}
	if <-e.made; e.sandbox != nil {
		_ = p.Discard(e.sandbox.Dir())
	}
}

func (p *Pool) takePrewarmed() *prewarmed {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.prewarmed
	p.prewarmed = nil
	return e
}
