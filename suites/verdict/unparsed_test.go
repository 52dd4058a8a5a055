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
	two := 2
	for name, tt := range map[string]struct {
		stderr string
		want   suites.Status
	}{
		"the hook":           {"/p/.claude/hooks/guard.sh: line 3: syntax error near unexpected token `}'\n", suites.Unproven},
		"a file that it got": {"/tmp/x.sh: line 3: syntax error near unexpected token `}'\n", suites.Pass},
		"its own message":    {"guard.sh: no forced push\n", suites.Pass},
	} {
		c := &suites.Case{Hook: ".claude/hooks/guard.sh", Steps: []suites.Step{{Expect: suites.Expectation{Exit: &two}}}}
		v := Judge(c, suites.Outcome{Results: []suites.Result{{Exit: 2, Stderr: []byte(tt.stderr)}}}, time.Second)
		if v.Status != tt.want {
			t.Errorf("%s: %s (%s), want %s", name, v.Status, v.Note, tt.want)
		}
	}
}
