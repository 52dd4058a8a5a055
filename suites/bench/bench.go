// Package bench fires cases: a limited number at a time, whoever asks for them. It also knows what earlier
// firings did. Only a session has a queue of its own, because a save supersedes what waits there.
package bench

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"time"

	"hookwatch/suites"
)

// A Bench has a number of places, and each firing needs one while it runs. Those that wait get theirs in the
// order in which they were asked for. It is safe for concurrent use.
type Bench struct {
	// Begun is called when a firing begins, and the returned function with the number of its results when it
	// has ended. It may be nil.
	Begun func(name string) (ended func(results int))

	fire   Fire
	places places
}

// A Fire makes a firing.
type Fire func(context.Context, suites.Request) (suites.Outcome, error)

// New returns a bench with a number of places; 0 or less means one for each processor.
func New(jobs int, fire Fire) *Bench {
	if jobs <= 0 {
		jobs = runtime.NumCPU()
	}
	return &Bench{fire: fire, places: make(places, jobs)}
}

// With returns a bench with the same places that fires in another way.
func (b *Bench) With(fire Fire) *Bench { return &Bench{b.Begun, fire, b.places} }

// Jobs returns the number of places.
func (b *Bench) Jobs() int { return cap(b.places) }

// Fire makes a firing as soon as a place is free. If ctx ends, it returns its cause. A firing that asks for
// another one lends its place to it.
func (b *Bench) Fire(ctx context.Context, q suites.Request) (o suites.Outcome, err error) {
	if ctx.Value(b.places) == nil {
		if err := b.places.take(ctx); err != nil {
			return o, err
		}
		defer b.places.free()
		ctx = context.WithValue(ctx, b.places, true)
	}
	if b.Begun != nil {
		ended := b.Begun(q.Name)
		defer func() { ended(len(o.Results)) }()
	}
	o, err = b.fire(ctx, q)
	return o, cmp.Or(err, context.Cause(ctx))
}

// All makes firings, and returns their outcomes in the order of the requests. It ends as Each does.
func (b *Bench) All(ctx context.Context, requests []suites.Request) ([]suites.Outcome, error) {
	out := make([]suites.Outcome, len(requests))
	return out, b.Each(ctx, len(out), func(ctx context.Context, i int) (err error) {
		out[i], err = b.Fire(ctx, requests[i])
		return err
	})
}

// Each calls do for every number below n, in this order, for as many at a time as there are places. do holds
// none: its firings take theirs. After an error it begins no further call, cancels the context of the others,
// waits for them and returns the error. It does the same if ctx ends, and returns its cause.
func (b *Bench) Each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	turns := make(places, cap(b.places))
	var running sync.WaitGroup
	for i := range n {
		if turns.take(ctx) != nil {
			break
		}
		running.Go(func() {
			defer turns.free()
			if err := do(ctx, i); err != nil {
				cancel(err)
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}

// Until calls do with a context that ends at a time, unless that is zero. It reports whether do came too late to
// its end, which is no error.
func Until(ctx context.Context, end time.Time, do func(context.Context) error) (late bool, err error) {
	if end.IsZero() {
		return false, do(ctx)
	}
	limited, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	if err = do(limited); err != nil && ctx.Err() == nil && limited.Err() != nil {
		return true, nil
	}
	return false, err
}

// places has a token for each place that is taken.
type places chan struct{}

func (p places) take(ctx context.Context) error {
	if ctx.Err() != nil { // because select chooses at random if a place is free, too
		return context.Cause(ctx)
	}
	select {
	case p <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p places) free() { <-p }
