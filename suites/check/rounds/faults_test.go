package rounds

import (
	"context"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/check"
)

// TestPlaceFaults checks for which findings the line of a script is looked for: those with a firing that are more than
// a remark, a few of each hook.
func TestPlaceFaults(t *testing.T) {
	t.Parallel()
	p := checkOf(t, 1, func(_ context.Context, q suites.Request) (o suites.Outcome, err error) {
		for range q.Case.Steps {
			o.Results = append(o.Results, suites.Result{Exit: 1, Effect: suites.Proceeds, Stderr: []byte("x.sh: line 3: X: unbound variable")})
		}
		return o, nil
	})
	for line, want := range map[int]string{3: "x.sh:3", 0: ""} {
		asked := 0
		p.Place = func(_ context.Context, of *check.Firing, _ []string) suites.Position {
			if asked++; of.Result.Exit != 1 || len(of.Case.Steps) != 1 {
				t.Errorf("%+v", of)
			}
			return suites.Position{File: "x.sh", Line: line}
		}
		report, err := p.judge(t.Context(), p.Registered.Hooks[0])
		if err != nil || len(report.Findings) != 1 || report.Findings[0].FaultAt != want || asked != 1 {
			t.Errorf("%v, %+v, asked %d times, want %q", err, report.Findings, asked, want)
		}
	}
	report, err := p.judge(t.Context(), p.Registered.Hooks[0])
	if err != nil {
		t.Fatal(err)
	}
	f := report.Findings[0]
	remark := f
	remark.Severity = suites.Info
	asked := 0
	p.Place = func(context.Context, *check.Firing, []string) suites.Position { asked++; return suites.Position{} }
	p.placeFaults(t.Context(), nil, []check.Finding{remark, check.FindingOf("slow", "a", suites.Position{}, "x", suites.Error), f, f, f, f, f})
	if asked != tracedAtMost {
		t.Errorf("%d lines were looked for, want %d", asked, tracedAtMost)
	}
}

// TestCount checks that the findings of one severity are counted.
func TestCount(t *testing.T) {
	t.Parallel()
	of := func(s suites.Severity) check.Finding { return check.Finding{Severity: s} }
	r := Result{Findings: []check.Finding{of(suites.Error), of(suites.Info), of(suites.Error)}}
	if e, w, i := r.Count(suites.Error), r.Count(suites.Warning), r.Count(suites.Info); e != 2 || w != 0 || i != 1 {
		t.Errorf("%d errors, %d warnings, %d remarks", e, w, i)
	}
}
