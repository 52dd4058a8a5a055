package run

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"hookwatch/suites/isolate"
	"hookwatch/suites/process"
)

// PoolOptions are what all sandboxes of a pool have in common.
type PoolOptions struct {
	Temp      string   // where their directories are made; must exist
	Search    []string // the directories of PATH, of a sandbox that is made before its case is known
	Dirs      []string // what every sandbox has in its directory
	Isolation isolate.Mode
	Plan      *isolate.Plan // makes the sandboxes of namespaces
	Limits    process.Limits
	KeepSize  int64 // bytes that a kept sandbox may take up; 0: no bound
}

// A Pool is safe for concurrent use.
type Pool struct {
	o       PoolOptions
	mu      sync.Mutex
	reserve *process.Reserve
	ready   int                         // supervisors that are kept in it
	held    map[string]*isolate.Sandbox // of cases that are not judged yet, by directory
	early   *early                      // nil when there is none
}

// NewPool makes a pool.
func NewPool(o PoolOptions) *Pool {
	p := &Pool{o: o, held: make(map[string]*isolate.Sandbox)}
	p.reserve = p.newReserve()
	return p
}

func (p *Pool) newReserve() *process.Reserve {
	reserve := &process.Reserve{Limits: p.o.Limits}
	if p.o.Isolation == isolate.Namespaces {
		reserve.Advance = p.o.Plan.Advance()
	}
	return reserve
}

// Supervisors are where those come from that cases get.
func (p *Pool) Supervisors() *process.Reserve {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reserve
}

// KeepReady has so many supervisors stand ready from now on that no case waits
// for the start of one. Close ends them.
func (p *Pool) KeepReady(supervisors int) {
	p.mu.Lock()
	p.ready = supervisors
	p.mu.Unlock()
	p.Supervisors().Resize(supervisors)
}

// Close gives up what is kept ready, and returns when it is gone. Cases that run are
// not touched.
func (p *Pool) Close() {
	p.giveUp(p.takeEarly())
	p.Supervisors().Close()
}

// confineTries bounds how often a sandbox is made anew when the system has no
// room for one more.
const confineTries = 5

// Confine makes a sandbox and remembers it until the case is judged.
func (p *Pool) Confine(ctx context.Context, dir string, search, dirs []string) (*isolate.Sandbox, error) {
	for try := 1; ; try++ {
		s, err := p.o.Plan.Open(p.Supervisors().Open, dir, search, dirs...)
		if err == nil {
			p.mu.Lock()
			p.held[dir] = s
			p.mu.Unlock()
			return s, nil
		}
		if !crowded(err) || try == confineTries {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Duration(try*try) * 10 * time.Millisecond):
		}
	}
}

// Refresh gives up what was made before something was mounted or unmounted that
// cases see: a namespace keeps the mounts that there were.
func (p *Pool) Refresh() {
	if p.o.Isolation != isolate.Namespaces || p.o.Plan.Fresh() {
		return
	}
	p.CancelPrewarm()
	fresh := p.newReserve()
	p.mu.Lock()
	stale, size := p.reserve, p.ready
	p.reserve = fresh
	p.mu.Unlock()
	stale.Close()
	fresh.Resize(size)
}

// crowded reports whether the system may have room a moment later.
func crowded(err error) bool {
	return process.Shortage(err) != nil || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EUSERS)
}

// Discard ends a sandbox, and deletes its directory.
func (p *Pool) Discard(dir string) error {
	if s := p.release(dir); s != nil {
		s.Discard()
	}
	return isolate.Remove(dir)
}

// Keep moves what a case left in its directory to one that does not exist yet, within
// KeepSize.
func (p *Pool) Keep(dir, to string) error {
	if s := p.release(dir); s != nil {
		defer s.Discard()
		return errors.Join(s.Keep(to, p.o.KeepSize), isolate.Remove(dir))
	}
	if err := os.Rename(dir, to); err != nil {
		return err
	}
	return isolate.Trim(to, p.o.KeepSize)
}

func (p *Pool) release(dir string) *isolate.Sandbox {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.held[dir]
	delete(p.held, dir)
	return s
}

// An early sandbox is made while it is being worked out which case will have it.
type early struct {
	made chan struct{} // closed when it is there, or could not be made
	dir  string
	box  *isolate.Sandbox // nil: it could not be made
}

// Prewarm has a sandbox made for the next case that wants nothing special, in
// the place of one that nobody took. CancelPrewarm gives it up.
func (p *Pool) Prewarm() {
	if p.o.Isolation != isolate.Namespaces {
		return
	}
	p.CancelPrewarm()
	e := &early{made: make(chan struct{})}
	p.mu.Lock()
	p.early = e
	p.mu.Unlock()
	go func() {
		defer close(e.made)
		dir, err := os.MkdirTemp(p.o.Temp, "early-")
		if err != nil {
			return
		}
		e.dir = dir
		if e.box, err = p.Confine(context.Background(), dir, p.o.Search, p.o.Dirs); err != nil {
			_ = p.Discard(dir)
		}
	}()
}

// CancelPrewarm gives up a sandbox that was made early, without waiting for it to be
// gone.
func (p *Pool) CancelPrewarm() {
	if e := p.takeEarly(); e != nil {
		go p.giveUp(e)
	}
}

func (p *Pool) giveUp(e *early) {
	if e == nil {
		return
	}
	if <-e.made; e.box != nil {
		_ = p.Discard(e.dir)
	}
}

func (p *Pool) takeEarly() *early {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.early
	p.early = nil
	return e
}

// Early is the sandbox that was made early, nil when there is none.
func (p *Pool) Early() (dir string, box *isolate.Sandbox) {
	e := p.takeEarly()
	if e == nil {
		return "", nil
	}
	<-e.made
	return e.dir, e.box
}
