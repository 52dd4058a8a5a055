//go:build unix

package session

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/reference"
)

// sampled is the number of cases compared unless HOOKWATCH_TEST_ALL is set.
const sampled = 12

// Tracing must not change any part of an outcome that is judged: each case of the reference
// project runs with and without tracing.
func TestTracingChangesNoOutcome(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	if err := os.RemoveAll(s.Root); err != nil {
		t.Fatal(err)
	}
	if _, err := reference.Linters.Extract(s.Root); err != nil {
		t.Fatal(err)
	}
	// No stand-ins, because the test binary cannot be started as one.
	s.Write(config.FileName, "hooks: [.claude/hooks]\nsettings: [.claude/settings.json]\nsuites: [builtin]\nverify: off\n")
	cfg, err := config.Load(config.LoadOptions{Dir: s.Root, Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	p, problems := Load(cfg, Filter{}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	session := s.open(p, &spy{on: func(e Event) {
		if w, ok := e.(Warning); ok {
			t.Log(w.Text)
		}
	}}, func(o *Options) { o.Env = append(o.Env, "HOME="+t.TempDir()) }) // outside of the sandboxes
	defer session.equipment.Runner.Close()
	cases := slices.DeleteFunc(slices.Clone(p.Cases), func(c *suites.Case) bool { return c.Layer != suites.Direct || c.Check != nil })
	if os.Getenv("HOOKWATCH_TEST_ALL") == "" {
		cases = slices.DeleteFunc(cases, func(c *suites.Case) bool { return len(c.Gates) > 0 }) // of a tool that may be absent
		random := rand.New(rand.NewPCG(1, 1))
		random.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
		cases = cases[:min(sampled, len(cases))]
	}
	compareTraced(t, session, cases)
}

// compareTraced runs the cases, two at a time.
func compareTraced(t *testing.T, s *Session, cases []*suites.Case) {
	t.Helper()
	var wg sync.WaitGroup
	var mu sync.Mutex
	traced, unsteady := 0, 0
	slots := make(chan struct{}, 2)
	for _, c := range cases {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			has, steady := sameTraced(t, s, c)
			mu.Lock()
			defer mu.Unlock()
			if has {
				traced++
			}
			if !steady {
				unsteady++
			}
		})
	}
	wg.Wait()
	t.Logf("%d cases, %d with a trace, %d do not repeat themselves", len(cases), traced, unsteady)
	if traced*10 < len(cases)*5 {
		t.Error("half of the cases, at least, must have had a trace")
	}
	if unsteady*20 > len(cases) {
		t.Error("too many cases do not repeat themselves: nothing can be said of these")
	}
}

// sameTraced runs one case with and without tracing. A difference is attributed to tracing only
// if runs without tracing do not differ.
func sameTraced(t *testing.T, s *Session, c *suites.Case) (traced, steady bool) {
	plain, _ := outcomeOf(t, s, c, false)
	with, traced := outcomeOf(t, s, c, true)
	if plain == with {
		return traced, true
	}
	for range 2 {
		if again, _ := outcomeOf(t, s, c, false); again != plain {
			t.Logf("%s does not repeat itself:\n%s--- again\n%s", c.Key(), plain, again)
			return traced, false
		}
	}
	if with, traced = outcomeOf(t, s, c, true); with != plain {
		t.Errorf("%s has another outcome when traced:\n%s--- traced\n%s", c.Key(), plain, with)
	}
	return traced, true
}

// Parts that differ between two equal runs: the numbers that hooks get instead of PIDs, and
// times.
var (
	caseNumber = regexp.MustCompile(`1[0-9]{15}`)
	clockTime  = regexp.MustCompile(`\b20[0-9]{2}-?[0-9]{2}-?[0-9]{2}[T_ -]?[0-9:]{6,8}Z?`)
)

// outcomeOf returns all parts of an outcome by which a case can be judged.
func outcomeOf(t *testing.T, s *Session, c *suites.Case, traced bool) (text string, hasTrace bool) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*ceiling)
	defer cancel()
	patient := *c
	patient.Timeout = max(c.Timeout, time.Minute)
	run := s.equipment.Runner.Case
	if traced {
		run = func(ctx context.Context, c *suites.Case) (suites.Outcome, error) {
			return s.equipment.Runner.TraceCase(ctx, c, trace.Start)
		}
	}
	o, err := run(ctx, &patient)
	if err != nil {
		t.Errorf("%s: %v", c.Key(), err)
		return "", false
	}
	defer func() { _ = s.equipment.Runner.Remove(o) }()
	var b strings.Builder
	fmt.Fprintln(&b, "stand-ins", o.StandIns, "changes", o.Changes, "stopped", o.Stopped)
	if o.NotRun != nil {
		fmt.Fprintln(&b, "not run", *o.NotRun)
	}
	for i := range o.Results {
		r := &o.Results[i]
		fmt.Fprintf(&b, "exit %d signal %q timeout %v start %q left %q decision %q effect %s because %q sees %q changes %v\ncut %v stdout %s\nstderr %s\n",
			r.Exit, r.Signal, r.TimedOut, r.NotStarted, r.LeftBehind, r.Decision, r.Effect, r.EffectReason, r.ModelSees, r.Changes,
			r.IsTruncated(), r.Stdout, r.Stderr)
		for _, name := range slices.Sorted(maps.Keys(r.Files)) {
			fmt.Fprintf(&b, "file %s\n%s\n", name, r.Files[name])
		}
	}
	text = b.String()
	if o.Sandbox != "" {
		text = strings.ReplaceAll(text, o.Sandbox, "{sandbox}")
	}
	return clockTime.ReplaceAllString(caseNumber.ReplaceAllString(text, "{number}"), "{time}"), o.Trace != nil
}
