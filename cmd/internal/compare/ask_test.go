package compare

import (
	"context"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/check"
	"hookwatch/suites/discover"
)

// TestWritten checks which files a step of several wrote, of those that are known after each.
func TestWritten(t *testing.T) {
	t.Parallel()
	a := suites.Change{Kind: suites.Created, Path: "{project}/a", Size: 3}
	longer, b := a, suites.Change{Kind: suites.Deleted, Path: "~/b"}
	longer.Size = 5
	module := suites.Change{Kind: suites.Created, Path: "{project}/__pycache__/x.pyc", Size: 9}
	for _, tt := range []struct {
		after [][]suites.Change
		want  string
	}{
		{[][]suites.Change{nil}, ""},
		{[][]suites.Change{{a, b}}, "created {project}/a (3 bytes)\ndeleted ~/b (0 bytes)"},
		{[][]suites.Change{{a}, {a}}, ""},
		{[][]suites.Change{{a}, {a, b}}, "deleted ~/b (0 bytes)"},
		{[][]suites.Change{{a}, {longer}}, "created {project}/a (5 bytes)"},
		{[][]suites.Change{{module}}, ""},
	} {
		var steps []suites.Result
		for _, changes := range tt.after {
			steps = append(steps, suites.Result{Changes: changes})
		}
		if got := written(steps); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.after, got, tt.want)
		}
	}
}

// TestRepeatAlone checks that a file counts as written by one side only if that is so in an environment of its own.
func TestRepeatAlone(t *testing.T) {
	t.Parallel()
	h := &discover.Hook{ID: "note", Event: "PostToolUse", Matcher: "Bash", Type: "command", Command: "./note.sh"}
	side := func(writes ...suites.Change) *Side {
		b := bench.New(1, func(_ context.Context, q suites.Request) (o suites.Outcome, err error) {
			for range q.Case.Steps {
				o.Results = append(o.Results, suites.Result{Effect: suites.Proceeds, Changes: writes})
			}
			return o, nil
		})
		return &Side{bench: b, seen: map[string]Seen{}}
	}
	flag := suites.Change{Kind: suites.Created, Path: "{project}/flag", Size: 3}
	for name, tt := range map[string]struct {
		base, head *Side
		want       string
	}{
		"one side":   {side(), side(flag), Files},
		"both sides": {side(flag), side(flag), ""},
	} {
		x := &Comparison{ctx: t.Context(), Sides: []*Side{tt.base, tt.head}}
		c := Change{What: Files, Call: &Call{Input: "ls", c: check.Input{Tool: "Bash", Command: "ls"}.Case(*h)}}
		if err := x.repeatAlone(pair{h, h}, &c); err != nil || c.What != tt.want {
			t.Errorf("%s: %q, %v, want %q", name, c.What, err, tt.want)
		}
	}
}
