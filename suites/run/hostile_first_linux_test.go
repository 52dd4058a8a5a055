package run_test

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// firstActs influence process 1 of the sandbox, and then do something that only it can end. want is
// the expected report.
var firstActs = []struct{ name, act, want string }{
	{"ends", attackVariable + `=first "$SELF"`, "refused: "},
	{"hangs", attackVariable + `=first HOW=hang "$SELF"`, "TIMEOUT"},
	{"takes memory", attackVariable + `=first HOW=memory "$SELF"`, "MEMORY_192MiB"},
	{"hangs as a child", attackVariable + `=relatives exec "$SELF"`, "TIMEOUT"},
	{"hangs as a child that it traces", attackVariable + `=relatives HOW=traced exec "$SELF"`, "TIMEOUT"},
	{"leaves a process as a child that it traces", attackVariable + `=relatives HOW=traced\ and\ away exec "$SELF"`, "TIMEOUT"},
}

// TestFirstProcess checks that no call of a hook changes process 1 of its sandbox, and that the
// verdict, the timeout and the limit on memory are as without the calls.
func TestFirstProcess(t *testing.T) {
	t.Parallel()
	if len(firstCalls) < 40 {
		t.Errorf("%d calls", len(firstCalls))
	}
	h := newHostile(t, t.TempDir())
	for _, tt := range firstActs {
		r := h.runner("namespaces")
		if strings.Contains(tt.want, "TIMEOUT") {
			r.Timeout = 500 * time.Millisecond
		}
		h.unharmed(tt.name, func() {
			o, report := h.act(r, tt.act)
			res := o.Last()
			if bytes.Contains(bytes.ReplaceAll(res.Stdout, []byte("ESCAPED from the bound"), nil), []byte("ESCAPED")) || !strings.Contains(report, tt.want) {
				t.Errorf("%s: the report does not say %q:\n%s\nstdout %s\nstderr %s", tt.name, tt.want, report, res.Stdout, res.Stderr)
			}
		})
	}
}
