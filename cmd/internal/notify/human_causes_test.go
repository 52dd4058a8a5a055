package notify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hookwatch/suites"
)

// failing is a run of failures: six of a hook that does not parse, whatever each
// expected, four that say the same, and one of its own.
func failing() []Event {
	var events []Event
	var records []suites.Record
	add := func(id, hook, note, stderr string) {
		r := suites.Record{Suite: "s", ID: id, TestName: "n", Hook: hook, Note: note, ActualStderr: stderr}
		records = append(records, r)
		events = append(events, CaseDone{Record: r, Rerun: "hookwatch run " + id, Verdict: suites.Verdict{Status: suites.Fail, Note: note}, Done: len(records), Of: 11})
	}
	for n := range 6 {
		add(fmt.Sprintf("M%02d", n), "lint.sh", fmt.Sprintf("exit 2, want %d", n+3), "/p/lint.sh: line 214: syntax error near unexpected token `}'\n")
		if n < 4 {
			add(fmt.Sprintf("P%02d", n), "guard.sh", "exit 0, want 2", "")
		}
	}
	add("Q1", "guard.sh", "exit 1, want 2", "Traceback")
	done := RunDone{Tally: suites.Tally{Failed: 11}, State: suites.State{Tally: suites.Tally{Failed: 11}}, Records: records}
	return append(append([]Event{RunStarted{Cases: 11, Total: 11}}, events...), done)
}

// TestCauses: one cause is one headline with its cases; what only says the same is
// shown once whole; and a failure by itself is as ever.
func TestCauses(t *testing.T) {
	t.Parallel()
	headline := "FAIL lint.sh does not parse: line 214: syntax error near unexpected token `}'; 6 cases\n"
	for name, tt := range map[string]struct {
		o     HumanOptions
		once  []string
		never string
	}{
		"watching": {HumanOptions{Watch: true}, []string{headline, "       M00-M05\n", "FAIL P00 n   exit 0, want 2", "FAIL 3 more like P00: P01-P03\n", "FAIL Q1 n   exit 1, want 2", "run M00\n"}, "exit 2, want"},
		"for CI":   {HumanOptions{}, []string{headline, "     M00-M05\n", "FAIL 3 more like P00: P01-P03\n", "FAIL Q1 n"}, "exit 2, want"},
		"verbose":  {HumanOptions{Verbose: true}, []string{"FAIL M05 n", "FAIL P03 n"}, "more like"},
	} {
		var out bytes.Buffer
		v := NewHuman(&out, tt.o)
		for _, e := range failing() {
			v.Handle(e)
		}
		for _, want := range tt.once {
			if strings.Count(out.String(), want) != 1 {
				t.Errorf("%s: %q is not said once in\n%s", name, want, &out)
			}
		}
		if strings.Contains(out.String(), tt.never) {
			t.Errorf("%s: %q is said in\n%s", name, tt.never, &out)
		}
	}
}

// TestCauseAlone: what a single case suffers is told as a failure, and what a newer
// run superseded is not lost.
func TestCauseAlone(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := NewHuman(&out, HumanOptions{Watch: true})
	for _, e := range failing()[:2] {
		v.Handle(e)
	}
	v.Handle(RunStarted{Cases: 1, Total: 11})
	v.Handle(RunDone{State: suites.State{NotRun: 11}})
	if got := out.String(); strings.Count(got, "FAIL M00 n   exit 2, want 3") != 1 || strings.Contains(got, "1 case") {
		t.Error(got)
	}
}

// TestGroupsJSON: each failure is in one group.
func TestGroupsJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := NewJSON(&out, nil)
	for _, e := range failing() {
		v.Handle(e)
	}
	var doc Document
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range doc.Groups {
		got = append(got, fmt.Sprint(g.Cause, " ", g.Hook, " ", len(g.Cases), " ", g.Cases[0]))
	}
	if want := "syntax lint.sh 6 s/M00, equal guard.sh 4 s/P00, equal guard.sh 1 s/Q1"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
}
