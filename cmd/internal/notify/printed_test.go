package notify

import (
	"strings"
	"testing"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

// TestPrinted checks that a failure shows the hook's output once, and the place of the case.
func TestPrinted(t *testing.T) {
	t.Parallel()
	exit := suites.Mismatch{Kind: "exit", Field: "exit", Got: "1", Want: "2"}
	for name, tt := range map[string]struct {
		mismatch       suites.Mismatch
		note           string
		stderr, stdout string
		want           []string
		never          string
	}{
		"a traceback": {exit, "exit 1, want 2", "Traceback (most recent call last):\n  File \"h.py\", line 3\nKeyError: 'x'\n", "",
			[]string{"stderr  Traceback (most recent call last):", "  File \"h.py\", line 3", "KeyError: 'x'"}, "stdout"},
		"both streams":       {exit, "exit 1, want 2", "err", "{\"a\": 1}\n", []string{"stderr  err", `stdout  {"a": 1}`}, ""},
		"nothing":            {exit, "exit 1, want 2", " \n", "", nil, "stderr"},
		"told as the cause":  {exit, "exit 1, want 2; jq: not found", "jq: not found\n", "", []string{"jq: not found"}, "stderr  jq"},
		"told as a mismatch": {suites.Mismatch{Kind: "stderr", Field: "stderr", Got: `"no"`, Want: `"yes"`}, "", "no", "", []string{`stderr "no", want "yes"`}, "stderr  no"},
		"inert":              {exit, "exit 1, want 2", "\x1b[2Jx\n", "", []string{`stderr  \x1b[2Jx`}, "\x1b"},
	} {
		e := session.CaseDone{
			Record:  suites.Record{ID: "G1", TestName: "g", InputSummary: "git push", ActualStderr: tt.stderr, ActualOutput: tt.stdout},
			Verdict: suites.Verdict{Status: suites.Fail, Note: tt.note, Mismatches: []suites.Mismatch{tt.mismatch}},
			At:      "suites/s.yaml:7:3", Transition: session.First,
		}
		if _, cause, found := strings.Cut(tt.note, "; "); found {
			e.Verdict.Remarks = []string{cause}
		}
		var out strings.Builder
		v := New(&out, Options{})
		v.Handle(e)
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
		for _, want := range append(tt.want, "case  suites/s.yaml:7:3: git push") {
			if strings.Count(out.String(), want) != 1 {
				t.Errorf("%s: %q is not said once in\n%s", name, want, out.String())
			}
		}
		if tt.never != "" && strings.Contains(out.String(), tt.never) {
			t.Errorf("%s: %q is said in\n%s", name, tt.never, out.String())
		}
	}
}
