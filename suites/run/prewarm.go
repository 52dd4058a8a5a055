package run

import (
	"context"
	"os"
	"path/filepath"

	"hookwatch/suites"
	"hookwatch/suites/isolate"
	"hookwatch/suites/process"
)

// An early sandbox is made while it is being worked out which case will have it.
type early struct {
	made chan struct{} // closed when it is there, or could not be made
	dir  string
	box  *isolate.Sandbox // nil: it could not be made
}

// Prewarm has a sandbox made for the next case that wants nothing special, in
// the place of one that nobody took. CancelPrewarm gives it up.
func (r *Runner) Prewarm() {
	if r.Isolation != isolate.Namespaces {
		return
	}
	r.CancelPrewarm()
	e := &early{made: make(chan struct{})}
	r.mu.Lock()
	r.early = e
	r.mu.Unlock()
	go func() {
		defer close(e.made)
		dir, err := os.MkdirTemp(r.Temp, "early-")
		if err != nil {
			return
		}
		e.dir = dir
		path := filepath.SplitList(process.Getenv(r.Env, "PATH"))
		if e.box, err = r.confine(context.Background(), dir, path, r.dirs(nil)); err != nil {
			_ = r.discard(dir)
		}
	}()
}

// CancelPrewarm gives up a sandbox that was made early.
func (r *Runner) CancelPrewarm() {
	if e := r.takeEarly(); e != nil {
		go func() {
			if <-e.made; e.box != nil {
				_ = r.discard(e.dir)
			}
		}()
	}
}

func (r *Runner) takeEarly() *early {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.early
	r.early = nil
	return e
}

// earlyFor is the early sandbox, if it is what the case wants.
func (r *Runner) earlyFor(c *suites.Case) *early {
	if c.Project != nil || c.Repo != nil || len(c.AbsentTools) > 0 {
		return nil
	}
	e := r.takeEarly()
	if e == nil {
		return nil
	}
	if <-e.made; e.box == nil {
		return nil
	}
	return e
}
