package bench

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestPlaces checks that no more calls run at a time than there are places, however many callers
// share them, and that all places are used.
func TestPlaces(t *testing.T) {
	t.Parallel()
	const places, callers, calls = 3, 4, 50
	b := New(places)
	var running, most, total atomic.Int64
	full := make(chan struct{})
	var once sync.Once
	fire := func() {
		now := running.Add(1)
		for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
		}
		if now == places {
			once.Do(func() { close(full) })
		}
		<-full // so the test hangs if a place stays empty
		total.Add(1)
		running.Add(-1)
	}
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			if i%2 == 0 {
				if err := b.Each(t.Context(), calls, func(context.Context, int) error { fire(); return nil }); err != nil {
					t.Error(err)
				}
				return
			}
			for range calls {
				if err := b.Do(t.Context(), func() error { fire(); return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if most.Load() != places || total.Load() != callers*calls || b.Places() != places {
		t.Errorf("%d at a time of %d places, %d of %d calls", most.Load(), b.Places(), total.Load(), callers*calls)
	}
}

// TestOrder checks that calls begin in order.
func TestOrder(t *testing.T) {
	t.Parallel()
	var got []int
	if err := New(1).Each(t.Context(), 20, func(_ context.Context, i int) error { got = append(got, i); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 20 || !slices.IsSorted(got) {
		t.Error(got)
	}
}

// TestEnds checks that after an error, or once the context has ended, no call begins, those that run are
// cancelled and waited for, and the reason is returned.
func TestEnds(t *testing.T) {
	t.Parallel()
	failed := errors.New("it failed")
	for name, end := range map[string]func(cancel context.CancelCauseFunc) error{
		"an error":               func(context.CancelCauseFunc) error { return failed },
		"the end of the context": func(cancel context.CancelCauseFunc) error { cancel(failed); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			b := New(2)
			var begun, ended atomic.Int64
			second := make(chan struct{})
			err := b.Each(ctx, 10, func(ctx context.Context, i int) error {
				begun.Add(1)
				defer ended.Add(1)
				if i == 1 {
					close(second)
					<-ctx.Done() // which waits forever if it is not cancelled
					return context.Cause(ctx)
				}
				<-second
				return end(cancel)
			})
			if !errors.Is(err, failed) || begun.Load() != ended.Load() {
				t.Errorf("%v; %d calls began, %d ended", err, begun.Load(), ended.Load())
			}
			if begun.Load() != 2 {
				t.Errorf("%d calls began", begun.Load())
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	called := false
	fire := func() error { called = true; return nil }
	err := New(1).Do(ctx, fire)
	each := New(1).Each(ctx, 1, func(context.Context, int) error { return fire() })
	if called || !errors.Is(err, context.Canceled) || !errors.Is(each, context.Canceled) {
		t.Errorf("called: %t; %v, %v", called, err, each)
	}
}
