package notify

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

// TestManyFailures checks that a watching session shows the first failures in full and the others
// by ID, and likewise resolved cases. A run for CI shows every failure.
func TestManyFailures(t *testing.T) {
	t.Parallel()
	for _, watching := range []bool{true, false} {
		var out bytes.Buffer
		h := New(&out, Options{Watch: watching})
		h.Handle(session.RunStarted{Cases: 12, Total: 12})
		for n := range 12 {
			r := suites.Record{Suite: "s", ID: fmt.Sprintf("A%02d", n), TestName: "n", Hook: fmt.Sprintf("h%d.sh", n), Note: "exit 0, want 2"}
			h.Handle(session.CaseDone{Record: r, Verdict: suites.Verdict{Status: suites.Fail, Note: r.Note,
				Mismatches: []suites.Mismatch{{Kind: "exit", Field: "exit", Got: "0", Want: "2"}}}, Done: n + 1, Of: 12})
		}
		h.Handle(session.RunDone{Tally: suites.Tally{Failed: 12}, State: suites.State{Tally: suites.Tally{Failed: 12}}})
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		whole, byID := 12, 0
		if watching {
			whole, byID = wholeCases, 1
		}
		if got := strings.Count(out.String(), "exit 0, want 2"); got != whole {
			t.Errorf("watching %v: %d failures are shown whole, want %d\n%s", watching, got, whole, &out)
		}
		if got := strings.Count(out.String(), "7 more: A05-A11"); got != byID {
			t.Errorf("watching %v: the others are named %d times, want %d\n%s", watching, got, byID, &out)
		}
	}
}

// TestStandInNote checks that a note that the end of a run shows for all cases is not repeated
// for each.
func TestStandInNote(t *testing.T) {
	t.Parallel()
	for note, want := range map[string]string{
		"stand-in: jaq=gojq 1": "",
		"stand-in: jaq=gojq 1; left a process behind: sleep (ended)": "left a process behind: sleep (ended)",
		"unproven: control P01 exit 0, want 2; stand-in: jaq=gojq 1": "control P01 exit 0, want 2",
	} {
		if got := bareNote(suites.Unproven, note); got != want {
			t.Errorf("%q: %q, want %q", note, got, want)
		}
	}
}
