// Package bench limits how many firings run at a time. Everything that fires several hooks at once does
// so at the places of a Bench, except the session's queue of cases.
package bench

import (
	"context"
	"runtime"
	"sync"
)

// A Bench is a number of places at which firings run. It is safe for concurrent use.
type Bench struct {
	places chan struct{}
}

// New returns a bench with a number of places; 0 or less means one for each processor.
func New(places int) *Bench {
	if places <= 0 {
		places = runtime.NumCPU()
	}
	return &Bench{places: make(chan struct{}, places)}
}

// Places returns the number of places.
func (b *Bench) Places() int { return cap(b.places) }

// Do calls fire as soon as a place is free. If ctx ends first it returns its cause, and fire is not
// called.
func (b *Bench) Do(ctx context.Context, fire func() error) error {
	if err := b.take(ctx); err != nil {
		return err
	}
	defer b.free()
	return fire()
}

// Each calls fire for every number below n, in this order and each at a place of its own. After an error
// it begins no further call, cancels the context of the others, waits for them and returns the error. It
// does the same if ctx ends, and returns its cause.
//
// A call must not use the same bench again, because it would wait for the place that it holds.
func (b *Bench) Each(ctx context.Context, n int, fire func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	for i := range n {
		if b.take(ctx) != nil {
			break
		}
		running.Go(func() {
			defer b.free()
			if err := fire(ctx, i); err != nil {
				cancel(err)
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}

func (b *Bench) take(ctx context.Context) error {
	if ctx.Err() != nil { // because select chooses at random if a place is free, too
		return context.Cause(ctx)
	}
	select {
	case b.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (b *Bench) free() { <-b.places }
