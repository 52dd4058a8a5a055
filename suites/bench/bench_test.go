package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"hookwatch/suites"
)

// TestMain lets the test binary be the process that gets killed.
func TestMain(m *testing.M) {
	if project := os.Getenv(writerVariable); project != "" {
		fmt.Println("error", writeUntilKilled(project))
		return
	}
	goleak.VerifyTestMain(m)
}

// requests returns n requests, named by their numbers.
func requests(n int) (all []suites.Request) {
	for i := range n {
		all = append(all, suites.Request{Name: fmt.Sprint(i)})
	}
	return all
}

// named returns an outcome that shows for which request it is.
func named(q suites.Request) suites.Outcome {
	return suites.Outcome{Results: []suites.Result{{Stdout: []byte(q.Name)}}}
}

// TestPlaces checks that as many firings run at a time as there are places, however many callers and ways of
// firing share them.
func TestPlaces(t *testing.T) {
	t.Parallel()
	const callers, calls = 4, 5
	for _, jobs := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			var running, total atomic.Int64
			end := make(chan struct{})
			fire := func(_ context.Context, q suites.Request) (suites.Outcome, error) {
				running.Add(1)
				<-end
				running.Add(-1)
				total.Add(1)
				return named(q), nil
			}
			b := New(jobs, fire)
			for i := range callers {
				go func() {
					if i%2 == 0 {
						_, _ = b.All(t.Context(), requests(calls))
						return
					}
					for _, q := range requests(calls) {
						go func() { _, _ = b.With(fire).Fire(t.Context(), q) }()
					}
				}()
			}
			for left := callers * calls; left > 0; left-- {
				synctest.Wait()
				if got := int(running.Load()); got != min(jobs, left) {
					t.Fatalf("%d firings run at %d places, and %d are left", got, b.Jobs(), left)
				}
				end <- struct{}{}
			}
			synctest.Wait()
			if total.Load() != callers*calls {
				t.Errorf("%d of %d firings", total.Load(), callers*calls)
			}
		})
	}
}

// TestResults checks that outcomes come in the order of their requests, whatever ends first, and that what is
// told of their progress does not depend on the number of places either.
func TestResults(t *testing.T) {
	t.Parallel()
	const n = 20
	for _, jobs := range []int{1, 2, 8} {
		var mu sync.Mutex
		var begun []string
		running, fired := 0, 0
		waiting := make(chan struct{}, n)
		b := New(jobs, func(_ context.Context, q suites.Request) (suites.Outcome, error) {
			if q.Name == "0" && jobs > 1 {
				<-waiting // until another one has ended
			}
			waiting <- struct{}{}
			return named(q), nil
		})
		b.Begun = func(name string) func(int) {
			mu.Lock()
			defer mu.Unlock()
			begun = append(begun, name)
			running++
			return func(results int) {
				mu.Lock()
				defer mu.Unlock()
				running--
				fired += results
			}
		}
		out, err := b.All(t.Context(), requests(n))
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range out {
			if got := string(o.Last().Stdout); got != fmt.Sprint(i) {
				t.Errorf("%d places: outcome %d is that of %s", jobs, i, got)
			}
		}
		if running != 0 || fired != n || len(begun) != n {
			t.Errorf("%d places: %d began, %d still run, %d ended", jobs, len(begun), running, fired)
		}
		if jobs == 1 && !slices.IsSortedFunc(begun, func(a, b string) int { return 100*(len(a)-len(b)) + strings.Compare(a, b) }) {
			t.Error(begun)
		}
	}
}

// TestQueue checks that firings that wait get their places in the order in which they were asked for.
func TestQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		var order []string
		b := New(1, func(_ context.Context, q suites.Request) (suites.Outcome, error) {
			order = append(order, q.Name)
			<-free
			return suites.Outcome{}, nil
		})
		for _, q := range requests(10) {
			go func() { _, _ = b.Fire(t.Context(), q) }()
			synctest.Wait() // it is asked for
		}
		close(free)
		synctest.Wait()
		if got := strings.Join(order, ""); got != "0123456789" {
			t.Error(got)
		}
	})
}

// TestEnds checks that after an error, or once the context has ended, no firing begins, those that run are
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
			var begun, ended atomic.Int64
			second := make(chan struct{})
			b := New(2, func(ctx context.Context, q suites.Request) (suites.Outcome, error) {
				begun.Add(1)
				defer ended.Add(1)
				if q.Name == "1" {
					close(second)
					<-ctx.Done() // which waits forever if it is not cancelled
					return named(q), nil
				}
				<-second
				return suites.Outcome{}, end(cancel)
			})
			_, err := b.All(ctx, requests(10))
			if !errors.Is(err, failed) || begun.Load() != 2 || ended.Load() != 2 {
				t.Errorf("%v; %d firings began, %d ended", err, begun.Load(), ended.Load())
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	called := false
	b := New(1, func(context.Context, suites.Request) (suites.Outcome, error) {
		called = true
		cancel()
		return suites.Outcome{}, nil
	})
	if _, err := b.Fire(ctx, suites.Request{}); !called || !errors.Is(err, context.Canceled) {
		t.Errorf("a firing that was interrupted ended with %v", err)
	}
	called = false
	for range 20 { // the choice among ready channels is random
		_, err := b.Fire(ctx, suites.Request{})
		_, all := b.All(ctx, requests(1))
		if called || !errors.Is(err, context.Canceled) || !errors.Is(all, context.Canceled) {
			t.Fatalf("called: %t; %v, %v", called, err, all)
		}
	}
}

// TestNested checks that neither a firing that asks for another one nor a call of Each in another one waits for
// itself.
func TestNested(t *testing.T) {
	t.Parallel()
	for _, jobs := range []int{1, 4} {
		var b *Bench
		b = New(jobs, func(ctx context.Context, q suites.Request) (suites.Outcome, error) {
			if q.Name != "again" {
				return b.Fire(ctx, suites.Request{Name: "again"})
			}
			return named(q), nil
		})
		err := b.Each(t.Context(), 2*jobs, func(ctx context.Context, _ int) error {
			out, err := b.All(ctx, requests(3))
			if err == nil && string(out[2].Last().Stdout) != "again" {
				t.Errorf("%+v", out)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestUntil checks that a deadline ends what runs, and is an error only if it is the caller's.
func TestUntil(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testUntil)
}

func testUntil(t *testing.T) {
	failed := errors.New("it failed")
	wait := func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(failed)
	for name, tt := range map[string]struct {
		ctx  context.Context
		left time.Duration
		do   func(context.Context) error
		late bool
		err  error
	}{
		"in time":       {t.Context(), time.Hour, func(context.Context) error { return nil }, false, nil},
		"an error":      {t.Context(), time.Hour, func(context.Context) error { return failed }, false, failed},
		"late":          {t.Context(), time.Hour, wait, true, nil},
		"late, and yet": {t.Context(), -time.Hour, func(context.Context) error { return nil }, false, nil},
		"without end":   {t.Context(), 0, func(ctx context.Context) error { return ctx.Err() }, false, nil},
		"interrupted":   {ended, time.Hour, wait, false, failed},
	} {
		began := time.Now()
		if tt.left == 0 {
			began = time.Time{}
		}
		late, err := Until(tt.ctx, began.Add(tt.left), tt.do)
		if late != tt.late || !errors.Is(err, tt.err) || tt.late && time.Since(began) != tt.left {
			t.Errorf("%s: %t, %v", name, late, err)
		}
	}
}
