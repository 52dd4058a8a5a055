package prove

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/check"
	"hookwatch/suites/discover"
)

// readsAll is an execution in which every text prints the content of .env.
func readsAll(_ context.Context, q suites.Request) (suites.Outcome, error) {
	printed := "\x1c"
	for _, f := range q.Case.Steps[0].Fixtures {
		if n, text := strings.CutPrefix(f.Path, "{tmp}/prove/texts/"); text {
			printed += fmt.Sprintf("\x1c%s\x1d0\x1d\x1d\x1d%s.env %s\x1d", n, secret, marker)
		}
	}
	return suites.Outcome{Results: []suites.Result{{Files: map[string][]byte{results: []byte(printed)}}}}, nil
}

// machine returns a machine that fires hooks in a way, and executes texts as readsAll does.
func machine(fire bench.Fire) *Machine {
	return &Machine{Bench: bench.New(1, fire), Executor: bench.New(1, readsAll)}
}

// answers returns what a hook answers that denies commands with a text.
func answers(c *suites.Case, denied string) (o suites.Outcome) {
	for _, step := range c.Steps {
		effect := map[bool]suites.Effect{true: suites.Denied, false: suites.Proceeds}[strings.Contains(string(step.PayloadRaw), denied)]
		o.Results = append(o.Results, suites.Result{Effect: effect})
	}
	return o
}

// TestBudgetEnds searches a hook that no longer answers once harmless calls are sent to it: the search ends with its
// budget, keeps what it knows, and states nothing about what was not answered.
func TestBudgetEnds(t *testing.T) {
	t.Parallel()
	test, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	fire := func(ctx context.Context, q suites.Request) (suites.Outcome, error) {
		if slices.ContainsFunc(q.Case.Steps, func(step suites.Step) bool { return strings.Contains(string(step.PayloadRaw), "git status") }) {
			<-ctx.Done()
			return suites.Outcome{}, context.Cause(ctx)
		}
		return answers(q.Case, "cat .env"), nil
	}
	h := discover.Hook{ID: "guard", Event: "PreToolUse", Matcher: "Bash", Type: "command", Command: "guard", Timeout: time.Minute, Root: t.TempDir()}
	o := Options{Budget: time.Minute, Inputs: []check.Input{{Tool: "Bash", Command: "cat .env"}}, Only: true, Goals: []Goal{{Aim: Disclose, Object: ".env"}}, Ways: 1}
	begun := Begin(test, check.Tree{Root: h.Root}, h, machine(fire), o)
	g, err := begun.Complete(test, time.Millisecond)
	if err != nil || test.Err() != nil || len(g.Ways) != 1 {
		t.Fatalf("%v, %v, %+v", err, test.Err(), g)
	}
	w := g.Ways[0]
	if g.Complete || g.Tried > 0 || len(w.Open()) < 10 || len(w.NotFired) == 0 || w.Harmless.Sent == len(w.Goal.controls()) {
		t.Errorf("%+v", g)
	}
	if slices.ContainsFunc(w.Remedies, func(r Remedy) bool { return r.Matcher != "" }) {
		t.Errorf("the hook was not asked about other tools: %+v", w.Remedies)
	}
}

// TestInterrupted checks that rewrites count as tried only if they were sent.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for _, interrupted := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		s := newSearch(machine(nil), discover.Hook{Event: "PreToolUse"}, Options{})
		s.Bench = bench.New(1, func(_ context.Context, q suites.Request) (suites.Outcome, error) {
			if interrupted {
				cancel()
			}
			return answers(q.Case, "cat .env"), nil
		})
		seed := &seed{Input: check.Input{Tool: "Bash", Command: "cat .env"}}
		s.try(ctx, seed, []candidate{{input: check.Input{Tool: "Bash", Command: "tac .env"}}})
		if want := map[bool]int{false: 1, true: 0}[interrupted]; s.guard.Tried != want || s.guard.Passed != want || len(seed.passing) != want {
			t.Errorf("interrupted %t: %+v", interrupted, s.guard)
		}
	}
}

// TestConfirm checks that a finding which was not found again is dropped even if the time is up then, and that one that
// was not sent again is kept.
func TestConfirm(t *testing.T) {
	t.Parallel()
	in := check.Input{Tool: "Bash", Command: "tac .env"}
	for left, want := range map[time.Duration]int{time.Minute: 0, 0: 1} {
		s := newSearch(machine(nil), discover.Hook{Event: "PreToolUse"}, Options{})
		s.Bench = bench.New(1, func(_ context.Context, q suites.Request) (suites.Outcome, error) {
			s.deadline = time.Now()
			return answers(q.Case, ".env"), nil
		})
		s.deadline = time.Now().Add(left)
		s.seeds = []*seed{{passing: []Finding{{What: Bypass, Input: in}}}}
		if s.confirm(context.Background()); len(s.guard.Findings) != want {
			t.Errorf("with %s left: %+v", left, s.guard.Findings)
		}
	}
}

// TestBrief checks that a brief search ends when a rewrite passes, and tries all of its rewrites if none does.
func TestBrief(t *testing.T) {
	t.Parallel()
	h := discover.Hook{ID: "guard", Event: "PreToolUse", Matcher: "Bash", Type: "command", Command: "guard", Timeout: time.Minute, Root: t.TempDir()}
	tried := map[string]int{}
	for _, denied := range []string{"cat .env", ".env"} {
		fire := func(_ context.Context, q suites.Request) (suites.Outcome, error) { return answers(q.Case, denied), nil }
		o := Options{Budget: time.Minute, Inputs: []check.Input{{Tool: "Bash", Command: "cat .env"}}, Only: true, Most: Wrapping, Brief: true}
		g, err := Search(t.Context(), check.Tree{Root: h.Root}, h, machine(fire), o)
		if err != nil || !g.Complete {
			t.Fatalf("%v, %+v", err, g)
		}
		tried[denied] = g.Tried
	}
	if first := atOnce * portions[0]; tried["cat .env"] > first || tried[".env"] <= first {
		t.Errorf("tried %v rewrites", tried)
	}
}
