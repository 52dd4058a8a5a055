package evaluator

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/process"
	"hookwatch/suites/process/testdata/processtest"
)

func TestMain(m *testing.M) {
	_ = process.Adopt()
	processtest.VerifyTestMain(m, nil)
}

func filter(source, text string) suites.Question {
	return suites.Question{Kind: suites.FilterExpression, Source: source, Text: text}
}

// TestAnswer checks that the child returns the same answers as this process.
func TestAnswer(t *testing.T) {
	t.Parallel()
	var e Evaluator
	defer e.Close()
	for _, q := range []suites.Question{
		filter(`[range(10)] | length == 10`, `1`), filter(`. as $x | false`, `1`), filter(`empty as $x | 1`, `1`), filter(`error("no \(.)")`, `"\u0001"`),
		filter(`nope`, `1`), filter(`. as $x | .a`, "oops \xff"), filter(`{} | tojson | null`, `1`), filter(`def f: error({a: 1}); f`, `1`), filter(`ltrimstr("x") | keys`, `"\ud800"`),
		{Kind: suites.PatternExpression, Source: `(.*x){900}`, Text: strings.Repeat("x", 20_000)}, {Kind: suites.PatternExpression, Source: `(.*y){900}`, Text: strings.Repeat("x", 10_000)},
	} {
		if q.Cheap() {
			t.Errorf("%s is cheap", q.Source)
		}
		if got, want := e.Answer(t.Context(), q), q.Evaluate(t.Context()); got != want {
			t.Errorf("%s: %+v, want %+v", q.Source, got, want)
		}
	}
}

// TestLimits checks that an expensive evaluation ends with an error, and that the
// evaluator can be used afterwards.
func TestLimits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		e            *Evaluator
		source, want string
	}{
		{&Evaluator{MaxTime: 30 * time.Second, MaxMemory: 256 << 20}, `reduce range(40) as $i ("aaaa"; . + .)`, "it needs more than 256 MB of memory"},
		{&Evaluator{MaxTime: 30 * time.Second, MaxMemory: 256 << 20}, `"x" * 1000000000`, "it needs more than 256 MB of memory"},
		{&Evaluator{MaxTime: time.Second}, `def f: f; f`, "it takes more than 1s"},
		{&Evaluator{MaxTime: time.Second}, `[range(3000000)] | tojson | gsub("";"x")`, "it takes more than 1s"},
	} {
		defer test.e.Close()
		if a := test.e.Answer(t.Context(), filter(test.source, `1`)); a.Limit != test.want || a.Holds {
			t.Errorf("%s: %+v, want %q", test.source, a, test.want)
		}
		test.e.MaxTime = time.Minute
		if a := test.e.Answer(t.Context(), filter(`. as $x | $x == 1`, `1`)); !a.Holds {
			t.Errorf("after %s: %+v", test.source, a)
		}
	}
}

// TestInterrupted checks that the end of the context ends an evaluation that cannot be
// interrupted otherwise, and whose own limit is an hour.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	e := Evaluator{MaxTime: time.Hour}
	defer e.Close()
	if a := e.Answer(t.Context(), filter(`. as $x | true`, `1`)); !a.Holds {
		t.Fatalf("%+v", a)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var waiting sync.WaitGroup
	for range 3 {
		waiting.Go(func() {
			if a := e.Answer(ctx, filter(`[range(20000000)] | tojson | gsub("";"x")`, `1`)); a != interrupted {
				t.Errorf("%+v", a)
			}
		})
	}
	waiting.Wait()
}

// BenchmarkAnswer compares the child with this process.
func BenchmarkAnswer(b *testing.B) {
	q := filter(`. as $x | $x.hookSpecificOutput.permissionDecision == "deny"`, `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}}`)
	b.Run("child", func(b *testing.B) {
		var e Evaluator
		defer e.Close()
		for b.Loop() {
			if !e.Answer(b.Context(), q).Holds {
				b.Fatal("it does not hold")
			}
		}
	})
	b.Run("here", func(b *testing.B) {
		for b.Loop() {
			if !q.Evaluate(b.Context()).Holds {
				b.Fatal("it does not hold")
			}
		}
	})
	b.Run("start", func(b *testing.B) {
		for b.Loop() {
			var e Evaluator
			if !e.Answer(b.Context(), q).Holds {
				b.Fatal("it does not hold")
			}
			e.Close()
		}
	})
}
