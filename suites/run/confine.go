package run

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/isolate"
	"hookwatch/suites/isolate/trees"
)

// confineTries bounds how often a sandbox is made anew when the system has no
// room for one more.
const confineTries = 5

// confine makes a sandbox and remembers it until the case is judged.
func (r *Runner) confine(ctx context.Context, dir string, search, dirs []string) (*isolate.Sandbox, error) {
	for try := 1; ; try++ {
		s, err := r.Plan.Open(r.supervisors().Open, dir, search, dirs...)
		if err == nil {
			r.mu.Lock()
			r.held[dir] = s
			r.mu.Unlock()
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

// refresh gives up what was made before something was mounted or unmounted that
// cases see: a namespace keeps the mounts that there were.
func (r *Runner) refresh() {
	if r.Isolation != isolate.Namespaces || r.Plan.Fresh() {
		return
	}
	r.CancelPrewarm()
	fresh := r.newReserve()
	r.mu.Lock()
	stale, size := r.reserve, r.ready
	r.reserve = fresh
	r.mu.Unlock()
	stale.Close()
	fresh.Resize(size)
}

// crowded reports whether the system may have room a moment later.
func crowded(err error) bool {
	return errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EUSERS) || errors.Is(err, syscall.ENOMEM)
}

// Remove deletes what a case left, once it was judged.
func (r *Runner) Remove(o suites.Outcome) error {
	if o.Sandbox == "" {
		return nil
	}
	return r.discard(o.Sandbox)
}

func (r *Runner) discard(dir string) error {
	if s := r.release(dir); s != nil {
		s.Discard()
	}
	return trees.Remove(dir)
}

// Keep moves what a case left to a directory that does not exist yet, within
// KeepSize.
func (r *Runner) Keep(o suites.Outcome, to string) error {
	if s := r.release(o.Sandbox); s != nil {
		defer s.Discard()
		return errors.Join(s.Keep(to, r.KeepSize), trees.Remove(o.Sandbox))
	}
	if err := os.Rename(o.Sandbox, to); err != nil {
		return err
	}
	return isolate.Trim(to, r.KeepSize)
}

func (r *Runner) release(dir string) *isolate.Sandbox {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.held[dir]
	delete(r.held, dir)
	return s
}
