package verdict

import (
	"testing"
	"time"

	"hookwatch/suites"
)

// TestUnparsedHook checks that a pass of a hook that bash cannot parse proves nothing, and that of a
// hook whose input does not parse does.
func TestUnparsedHook(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		stderr string
		want   suites.Status
	}{
		"the hook":           {"/p/.claude/hooks/guard.sh: line 3: syntax error near unexpected token `}'\n", suites.Unproven},
		"a file that it got": {"/tmp/x.sh: line 3: syntax error near unexpected token `}'\n", suites.Pass},
		"its own message":    {"guard.sh: no forced push\n", suites.Pass},
	} {
		c := &suites.Case{Hook: ".claude/hooks/guard.sh", Steps: []suites.Step{{Expect: suites.Expectation{Exit: []int{2}}}}}
		v := Judge(c, suites.Outcome{Results: []suites.Result{{Exit: 2, Stderr: []byte(tt.stderr)}}}, time.Second)
		if v.Status != tt.want {
			t.Errorf("%s: %s (%s), want %s", name, v.Status, v.Note, tt.want)
		}
	}
}

// TestFailedHook checks that a pass proves nothing if the client proceeds because the hook failed, unless
// the case expects the failure.
func TestFailedHook(t *testing.T) {
	t.Parallel()
	proceeds := suites.Expectation{Effect: suites.Proceeds}
	for name, tt := range map[string]struct {
		exit   int
		expect suites.Expectation
		want   suites.Status
	}{
		"it failed":            {1, proceeds, suites.Unproven},
		"it let through":       {0, proceeds, suites.Pass},
		"the failure is meant": {1, suites.Expectation{Effect: suites.Proceeds, Exit: []int{1}}, suites.Pass},
		"its message is meant": {1, suites.Expectation{Effect: suites.Proceeds, Stderr: &suites.TextExpectation{Contains: []string{"no"}}}, suites.Pass},
	} {
		c := &suites.Case{Hook: ".claude/hooks/guard.sh", Steps: []suites.Step{{Expect: tt.expect}}}
		r := suites.Result{Exit: tt.exit, Effect: suites.Proceeds, Stderr: []byte("no\n")}
		if v := Judge(c, suites.Outcome{Results: []suites.Result{r}}, time.Second); v.Status != tt.want {
			t.Errorf("%s: %s (%s), want %s", name, v.Status, v.Note, tt.want)
		}
	}
}
