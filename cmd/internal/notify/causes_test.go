package notify

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

// TestCauses checks that one cause is one headline with its cases, that equal failures are shown
// in full once, and that other failures are shown as usual.
func TestCauses(t *testing.T) {
	t.Parallel()
	headline := "FAIL lint.sh does not parse: line 214: syntax error near unexpected token `}'; 6 cases   failed before\n"
	for name, tt := range map[string]struct {
		o     Options
		once  []string
		never string
	}{
		"watching": {Options{Watch: true}, []string{headline, "       M00-M05\n", "FAIL P00 n   exit 0, want 2", "and 3 more like it: P01-P03\n", "FAIL Q1 n   exit 1, want 2", "run M00\n"}, "exit 2, want"},
		"for CI":   {Options{}, []string{headline, "     M00-M05\n", "and 3 more like it: P01-P03\n", "FAIL Q1 n"}, "exit 2, want"},
		"verbose":  {Options{Verbose: true}, []string{"FAIL M05 n", "FAIL P03 n"}, "more like"},
	} {
		var out bytes.Buffer
		v := New(&out, tt.o)
		for _, e := range failingScene() {
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

// TestCauseAlone checks that a cause with a single case is shown as a failure, and that failures
// of a superseded run are not lost.
func TestCauseAlone(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := New(&out, Options{Watch: true})
	for _, e := range failingScene()[:2] {
		v.Handle(e)
	}
	v.Handle(session.RunStarted{Cases: 1, Total: 11})
	v.Handle(session.RunDone{State: suites.State{NotRun: 11}})
	if got := out.String(); strings.Count(got, "FAIL M00 n   exit 2, want 3") != 1 || strings.Contains(got, "1 case") {
		t.Error(got)
	}
}

// TestSuperseded checks that the remaining failures of a run are shown above the save that ends
// it, unless the save runs all of their cases again.
func TestSuperseded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		again      []string
		above, all int
	}{
		"all of them": {[]string{"M00", "M01", "P00", "P01"}, 0, 0},
		"one of them": {[]string{"M01"}, 1, 1},
		"another":     {[]string{"P00"}, 1, 1},
		"none":        {nil, 0, 1},
	} {
		var out bytes.Buffer
		v := New(&out, Options{Watch: true})
		for _, e := range failingScene()[:5] {
			v.Handle(e)
		}
		v.Handle(savedOf(0, "b.sh", tt.again...))
		before, _, _ := strings.Cut(out.String(), "b.sh")
		v.Handle(session.RunStarted{Cases: 2, Total: 11})
		v.Handle(session.RunDone{State: suites.State{NotRun: 11}})
		for _, held := range []string{"lint.sh does not parse", "FAIL P00 n"} {
			if n := strings.Count(before, held); n != tt.above {
				t.Errorf("%s: %q is printed %d times above the save, want %d:\n%s", name, held, n, tt.above, &out)
			}
			if n := strings.Count(out.String(), held); n != tt.all {
				t.Errorf("%s: %q is printed %d times, want %d:\n%s", name, held, n, tt.all, &out)
			}
		}
	}
}

// TestSupersededMany checks that failures without their own lines are listed once when a save
// ends their run, except those that it selects.
func TestSupersededMany(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := New(&out, Options{Watch: true})
	v.Handle(session.RunStarted{Cases: 9, Total: 11})
	for n := range wholeCases + 3 {
		r := recordOf("s", fmt.Sprintf("D%d", n), "n", false, fmt.Sprintf("exit %d, want 2", n+3))
		r.Hook = fmt.Sprintf("h%d.sh", n)
		v.Handle(doneWith(r, n+1, 9, suites.Mismatch{Kind: "exit", Field: "exit", Got: strconv.Itoa(n + 3), Want: "2"}))
	}
	v.Handle(savedOf(0, "b.sh", "D6"))
	v.Handle(session.RunStarted{Cases: 1, Total: 11})
	v.Handle(session.RunDone{State: suites.State{NotRun: 11}})
	before, after, _ := strings.Cut(out.String(), "b.sh")
	if !strings.Contains(before, "FAIL 2 more: D5 D7\n") || strings.Contains(after, "more") {
		t.Error(out.String())
	}
}

// TestEarly checks that a run that takes long shows its failures before its end, each once, however
// often it is said that cases are being executed, and names a case that runs for long.
func TestEarly(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	clock := sceneTime.Time
	v := New(&out, Options{Watch: true, Now: func() time.Time { return clock }})
	v.Handle(session.RunStarted{Cases: 9, Total: 11})
	for n := range wholeCases + 2 {
		r := recordOf("s", fmt.Sprintf("D%d", n), "n", false, fmt.Sprintf("exit %d, want 2", n+3))
		r.Hook = fmt.Sprintf("h%d.sh", n)
		e := doneWith(r, n+1, 9, suites.Mismatch{Kind: "exit", Field: "exit", Got: strconv.Itoa(n + 3), Want: "2"})
		e.Order = n
		v.Handle(e)
	}
	still := session.Running{Done: 7, Of: 9, Cases: []session.RunningCase{{ID: "D8", For: 12 * time.Second}}}
	if v.Handle(still); strings.Contains(out.String(), "FAIL") {
		t.Errorf("shown at once:\n%s", &out)
	}
	clock = clock.Add(held)
	for range 3 {
		v.Handle(still)
	}
	if n := strings.Count(out.String(), "FAIL D"); n != wholeCases {
		t.Errorf("%d failures are shown before the end, want %d:\n%s", n, wholeCases, &out)
	}
	v.Handle(session.RunDone{State: suites.State{NotRun: 11}})
	if strings.Count(out.String(), "FAIL 2 more: D5 D6\n") != 1 {
		t.Errorf("at the end:\n%s", &out)
	}
}
