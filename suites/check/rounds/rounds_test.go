package rounds

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/check"
	"hookwatch/suites/discover"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A play is a check of two guards whose firings are fakes, and what it showed.
type play struct {
	Check
	mu     sync.Mutex
	status []string
	judged []string
}

// checkOf returns a check that makes its firings at a number of places, by fire.
func checkOf(t *testing.T, jobs int, fire bench.Fire) *play {
	t.Helper()
	p := new(play)
	note := func(to *[]string, text string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		*to = append(*to, text)
	}
	tree := check.Tree{Root: t.TempDir(), Installed: func(string) bool { return true }}
	for _, name := range []string{"a", "b"} {
		tree.Registered.Hooks = append(tree.Registered.Hooks, discover.Hook{ID: name, Event: "PreToolUse", Matcher: "Bash", Type: "command", Command: "guard " + name, Root: tree.Root})
	}
	b := bench.New(jobs, fire)
	p.Check = Check{
		Tree: tree, Bench: b,
		Whole: func(ctx context.Context, c *suites.Case) ([]check.Part, suites.Outcome, error) {
			o, err := fire(ctx, suites.Request{Case: c, Name: "whole"})
			return []check.Part{{Hook: tree.Registered.Hooks[0], Result: o.Last()}}, o, err
		},
		Place:  func(context.Context, *check.Firing, []string) suites.Position { return suites.Position{} },
		Report: func(_ discover.Hook, check func() (check.Report, error)) (check.Report, error) { return check() },
		Status: func(format string, args ...any) { note(&p.status, fmt.Sprintf(format, args...)) },
		Judged: func(r check.Report) { note(&p.judged, r.Hook.ID) },
	}
	return p
}

// guard is a hook that denies commands with "rm".
func guard(_ context.Context, q suites.Request) (o suites.Outcome, err error) {
	for _, step := range q.Case.Steps {
		r := suites.Result{Effect: suites.Proceeds}
		if strings.Contains(string(step.PayloadRaw), "rm -rf") {
			r = suites.Result{Exit: 2, Stderr: []byte("no"), Effect: suites.Denied}
		}
		o.Results = append(o.Results, r)
	}
	return o, nil
}

// TestCallsAgain checks that as many whole calls are made as their own time allows, also if it is known from before
// what they do, and they take none.
func TestCallsAgain(t *testing.T) {
	t.Parallel()
	p := checkOf(t, 1, func(ctx context.Context, q suites.Request) (suites.Outcome, error) {
		o, err := guard(ctx, q)
		o.Results[len(o.Results)-1].Duration = 3 * time.Second
		return o, err
	})
	res, err := p.Run(t.Context())
	if err != nil || len(res.Calls) == 0 {
		t.Fatal(res.Calls, err)
	}
	for _, l := range res.Calls {
		if l.Runs != 2 {
			t.Errorf("%d calls of 3 s, want 2", l.Runs)
		}
	}
}

// TestJobs checks that a check finds the same, in the same order, however many firings run at a time, and shows
// how far it is.
func TestJobs(t *testing.T) {
	t.Parallel()
	first := ""
	for _, jobs := range []int{1, 2, 16} {
		p := checkOf(t, jobs, guard)
		res, err := p.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range res.Reports {
			r := &res.Reports[i]
			if r.Hook.ID != []string{"a", "b"}[i] || r.Firings < 5 || !strings.Contains(r.Denies, "rm -rf") {
				t.Errorf("report %d is of %s, with %d firings, and denies %q", i, r.Hook.ID, r.Firings, r.Denies)
			}
			*r = check.Report{Hook: discover.Hook{ID: r.Hook.ID}, Denies: r.Denies, Findings: r.Findings, Firings: r.Firings, Effect: r.Effect}
		}
		for i := range res.Calls {
			res.Calls[i].P50MS, res.Calls[i].P95MS = 0, 0
		}
		if slices.Sort(p.judged); !slices.Equal(p.judged, []string{"a", "b"}) || len(res.Calls) == 0 {
			t.Errorf("%v were judged, with %d calls", p.judged, len(res.Calls))
		}
		for _, want := range []string{"firing hooks: 0 of 2", "firing hooks: 2 of 2", "firing whole calls: 3 of 3"} {
			if !slices.Contains(p.status, want) {
				t.Errorf("%q was not shown: %q", want, p.status)
			}
		}
		text, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		found := strings.ReplaceAll(string(text), p.Root, "")
		if first = cmp.Or(first, found); found != first {
			t.Errorf("with %d places: %s\nwith 1: %s", jobs, found, first)
		}
	}
}

// TestFails checks that an error of a firing is said of its hook, and ends the check if all hooks have one or it is of
// a whole call.
func TestFails(t *testing.T) {
	t.Parallel()
	failed := errors.New("no sandbox")
	for which, ends := range map[string]bool{"b": false, "a b": true, "whole": true} {
		p := checkOf(t, 2, func(ctx context.Context, q suites.Request) (suites.Outcome, error) {
			if slices.Contains(strings.Fields(which), q.Name) {
				return suites.Outcome{}, failed
			}
			return guard(ctx, q)
		})
		p.Report = func(_ discover.Hook, judge func() (check.Report, error)) (check.Report, error) {
			report, err := judge()
			if err != nil {
				report = check.Report{} // as one that keeps nothing then
			}
			return report, err
		}
		res, err := p.Run(t.Context())
		if ends {
			if !errors.Is(err, failed) {
				t.Errorf("%s: %v", which, err)
			}
			continue
		}
		i := slices.IndexFunc(res.Findings, func(f check.Finding) bool { return f.Rule == "not-finished" })
		if err != nil || i < 0 || !slices.Equal(res.Findings[i].Hooks, []string{which}) || res.Findings[i].What != "no sandbox" || !slices.Equal(p.judged, []string{"a"}) {
			t.Errorf("%s: %v, %+v; %v were judged", which, err, res.Findings, p.judged)
		}
	}
}

// TestInterrupted checks that the result of an interrupted check is what is known by then, without the hooks of
// which nothing is known.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := checkOf(t, 1, func(ctx context.Context, q suites.Request) (suites.Outcome, error) {
		if q.Name == "b" {
			cancel()
			<-ctx.Done()
		}
		return guard(ctx, q)
	})
	res, err := p.Run(ctx)
	if !errors.Is(err, context.Canceled) || len(res.Reports) != 1 || res.Reports[0].Hook.ID != "a" || len(res.Calls) > 0 || !slices.Equal(p.judged, []string{"a"}) {
		t.Errorf("%v, %+v; %v were judged", err, res, p.judged)
	}
}

// TestStatic checks that nothing is fired without a bench.
func TestStatic(t *testing.T) {
	t.Parallel()
	tree := check.Tree{Root: t.TempDir()}
	tree.Registered.Hooks = []discover.Hook{{ID: "a", Event: "PreTolUse", Type: "command", Command: "true"}}
	res, err := Check{Tree: tree}.Run(t.Context())
	if err != nil || res.Firings != 0 || res.Count(suites.Error)+res.Count(suites.Warning) != len(res.Findings) {
		t.Errorf("%v, %+v", err, res)
	}
}
