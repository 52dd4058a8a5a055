//go:build unix

package session

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// TestRun checks the order of events: start, each case once, end; and that every announced
// verdict is already recorded.
func TestRun(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/s.yaml": pair})
	view := &spy{}
	view.on = func(e Event) {
		switch e := e.(type) {
		case CaseDone:
			log, err := os.ReadFile(s.Path("results/rolling/s-agent.jsonl"))
			if err != nil || !strings.Contains(string(log), `"id":"`+e.Record.ID+`"`) {
				t.Errorf("%s is announced and not on record (%v)", e.Record.ID, err)
			}
		case RunDone:
			if n := len(s.present()); n != 2 {
				t.Errorf("at the end of the run %d cases are in the present state", n)
			}
		}
	}
	p := s.Load(Filter{})
	session := s.open(p, view, func(o *Options) { o.Jobs = 1 })
	sum := s.all(session)
	if got := view.order(); got != "start, B1 pass, A1 pass, end" {
		t.Errorf("events: %s", got)
	}
	both := suites.Tally{Passed: 2}
	equal(t, "summary", Summary{RunID: sum.RunID, Tally: both, Present: both}, sum)
	equal[Event](t, "start", RunStarted{RunID: sum.RunID, Full: true, Cases: 2, Total: 2}, view.events[0], cmpopts.IgnoreFields(RunStarted{}, "At"))
	for i, d := range view.done() {
		want := CaseDone{RunID: sum.RunID, Transition: First, Rerun: "again " + d.Record.Key().String(), Done: i + 1, Of: 2}
		equal(t, d.Record.ID, want, d, cmpopts.IgnoreFields(CaseDone{}, "Record", "Verdict", "Effect", "At", "Defined", "Script", "Order"))
	}
	end, ok := view.events[len(view.events)-1].(RunDone) // after a second there are others in between: Running
	if !ok || end.HookTime <= 0 {
		t.Errorf("end %+v", end)
	}
	equal(t, "number of records at the end", 2, len(end.Records))
	want := RunDone{RunID: sum.RunID, Full: true, Tally: both, State: suites.State{Tally: both}, Project: p.Name()}
	equal(t, "end", want, end, cmpopts.IgnoreFields(RunDone{}, "Records", "Duration", "HookTime", "Client", "Isolation", "Weaker", "At"))
	if runs, err := s.reader().Runs(); err != nil || len(runs) != 1 {
		t.Errorf("%d runs in the archive, %v", len(runs), err)
	}
	s.empty(s.temp)
	s.empty(s.keep)
}

// TestSelectedRun checks that the records replace those of the same cases, and that nothing is
// archived.
func TestSelectedRun(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/s.yaml": pair})
	s.all(s.open(s.Load(Filter{}), &spy{}, nil))
	before := s.present()
	view := &spy{}
	session := s.open(s.Load(Filter{}), view, nil)
	sum := session.RunOnce(t.Context(), verdict.All(session.project.Cases[:1], "asked for"), false)
	after := s.present()
	equal(t, "tally", suites.Tally{Passed: 1}, sum.Tally)
	runs := map[string]string{}
	for id, r := range after {
		runs[id] = r.RunID
	}
	equal(t, "runs of the records", map[string]string{"A1": before["A1"].RunID, "B1": sum.RunID}, runs)
	if done := view.find("B1"); done.Transition != Same || done.Since.IsZero() {
		t.Errorf("the same verdict is reported as %q since %s", done.Transition, done.Since)
	}
	if runs, err := s.reader().Runs(); err != nil || len(runs) != 1 {
		t.Errorf("%d runs in the archive, %v", len(runs), err)
	}
}

// TestControl checks that the verdict of a pass depends on its control.
func TestControl(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, hook, suite, want, note string
		tally                         suites.Tally
	}{
		{"caught", guard, pair, "B1 pass, A1 pass", "", suites.Tally{Passed: 2}},
		{"not caught", "#!/bin/bash\nexit 0\n", pair, "B1 fail, A1 unproven", "unproven: control B1 exit 0, want 2", suites.Tally{Failed: 1, Unproven: 1}},
		{"skipped", guard, strings.Replace(pair, "B1, name: blocked", "B1, gates: [no-such-tool], name: blocked", 1),
			"B1 skip, A1 skip", "absent: no-such-tool", suites.Tally{Skipped: 2}},
		{"fails by itself", "#!/bin/bash\nexit 2\n", pair, "B1 pass, A1 fail", "exit 2, want 0", suites.Tally{Passed: 1, Failed: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, map[string]string{"hooks/guard.sh": tt.hook, "suites/s.yaml": tt.suite})
			view := &spy{}
			sum := s.all(s.open(s.Load(Filter{}), view, func(o *Options) { o.Jobs = 1 }))
			if got := view.order(); got != "start, "+tt.want+", end" {
				t.Errorf("events: %s", got)
			}
			if sum.Tally != tt.tally {
				t.Errorf("tally %+v, want %+v", sum.Tally, tt.tally)
			}
			if r := s.present()["A1"]; !strings.HasPrefix(r.Note, tt.note) || (tt.note == "") != (r.Note == "") {
				t.Errorf("note %q, want %q", r.Note, tt.note)
			}
		})
	}
}

// TestControlOfAnotherSuite checks that a verdict waits for a control that runs later.
func TestControlOfAnotherSuite(t *testing.T) {
	t.Parallel()
	other := "suite: t\nhook: hooks/guard.sh\nevent: PreToolUse\ntool: Bash\ncases:\n" +
		"  - {id: C1, name: control, command: bad, expect: {exit: 2}}\n"
	s := newScene(t, map[string]string{
		"suites/s.yaml": strings.Replace(pair, "control: B1", "control: t/C1", 1), "suites/t.yaml": other,
	})
	view := &spy{}
	sum := s.all(s.open(s.Load(Filter{}), view, nil))
	if sum.Tally != (suites.Tally{Passed: 3}) {
		t.Errorf("%+v: %s", sum.Tally, view.order())
	}
}

// TestSlowControl checks that a pass that ends first waits for its control.
func TestSlowControl(t *testing.T) {
	t.Parallel()
	hook := "#!/bin/bash\ncd \"$CLAUDE_PROJECT_DIR\"\nif ! grep -qw bad; then touch approved; exit 0; fi\n" +
		"for n in {1..2000}; do [[ -e approved ]] && break; sleep 0.01; done\nsleep 0.1\n"
	s := newScene(t, map[string]string{"hooks/guard.sh": hook, "suites/s.yaml": pair})
	view := &spy{}
	s.all(s.open(s.Load(Filter{}), view, nil))
	if view.find("B1").Verdict.Status != suites.Fail || view.find("A1").Verdict.Status != suites.Unproven {
		t.Errorf("events: %s", view.order())
	}
}

// TestStaleWithFilter checks that selecting a case selects its control, even if the filter
// excludes it.
func TestStaleWithFilter(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/s.yaml": pair})
	view := &spy{}
	session := s.open(s.Load(Filter{Text: "A1"}), view, nil)
	selected := session.Stale()
	sum := session.RunOnce(t.Context(), selected, false)
	if sum.Tally != (suites.Tally{Passed: 2}) {
		t.Errorf("%+v: %s", sum.Tally, view.order())
	}
}

// TestOwnInput checks that a hook that rewrites itself runs again for its new content, but not
// forever.
func TestOwnInput(t *testing.T) {
	t.Parallel()
	hook := "#!/bin/bash\necho run >>\"$CLAUDE_PROJECT_DIR/runs\"\necho \"echo $RANDOM$RANDOM >/dev/null\" >>\"$0\"\nexit 0\n"
	s := newScene(t, map[string]string{"hooks/guard.sh": hook, "suites/s.yaml": oneCase("A1", "expect: {exit: 0}")})
	view := &spy{}
	sum := s.all(s.open(s.Load(Filter{}), view, nil))
	if got := view.order(); got != "start, A1 pass, end" || sum.Tally.Passed != 1 {
		t.Errorf("events: %s", got)
	}
	if n := strings.Count(s.Read("runs"), "run"); n != verdict.MaxTries+1 {
		t.Errorf("the hook ran %d times, want %d", n, verdict.MaxTries+1)
	}
	s.empty(s.temp)
}

// TestSandboxes checks that the latest sandbox of a failing case is kept, and that a passing case
// leaves none, and removes the kept one.
func TestSandboxes(t *testing.T) {
	t.Parallel()
	leaving := "#!/bin/bash\necho $$ >\"$TMPDIR/proof\"\n"
	s := newScene(t, map[string]string{
		"hooks/guard.sh": leaving + "exit 1\n",
		"suites/s.yaml":  oneCase("A1", "expect: {exit: 0}") + "  - {id: A2, name: two, expect: {exit: 1}}\n",
	})
	proof := ""
	for i := range 2 {
		view := &spy{}
		view.on = func(e Event) {
			if done, ok := e.(CaseDone); ok && i == 0 && done.Sandbox != "" {
				if _, err := os.Stat(done.Sandbox); !os.IsNotExist(err) {
					t.Errorf("the sandbox is kept before the verdict is reported: %v", err)
				}
			}
		}
		s.all(s.open(s.Load(Filter{}), view, nil))
		kept := view.find("A1").Sandbox
		if filepath.Dir(kept) != s.keep || view.find("A2").Sandbox != "" {
			t.Fatalf("kept %q of the failing case, %q of the passing one", kept, view.find("A2").Sandbox)
		}
		text, err := os.ReadFile(filepath.Join(kept, "tmp", "proof"))
		if err != nil || string(text) == proof {
			t.Errorf("the sandbox is not that of the latest failure: %q, then %q, %v", proof, text, err)
		}
		proof = string(text)
		if entries, _ := os.ReadDir(s.keep); len(entries) != 1 {
			t.Errorf("%d sandboxes are kept", len(entries))
		}
		s.empty(s.temp)
	}
	s.Write("hooks/guard.sh", leaving+"exit 0\n")
	view := &spy{}
	s.all(s.open(s.Load(Filter{}), view, nil))
	if view.find("A1").Sandbox != "" {
		t.Errorf("kept %s of a case that passes", view.find("A1").Sandbox)
	}
	if _, err := os.Stat(filepath.Join(s.keep, "s-A1")); !os.IsNotExist(err) {
		t.Errorf("what was kept of the failure is still there: %v", err)
	}
}

// TestSerial checks that no other case runs together with a serial one.
func TestSerial(t *testing.T) {
	t.Parallel()
	hook := "#!/bin/bash\nlog=$CLAUDE_PROJECT_DIR/log\nn=$(grep -o '\"[SP][0-9]\"' | tr -d '\"')\necho \"start $n\" >>\"$log\"\nsleep 0.03\necho \"end $n\" >>\"$log\"\n"
	suite := "suite: s\nhook: hooks/guard.sh\nevent: PreToolUse\ntool: Bash\ncases:\n"
	for i := range 4 {
		n := strconv.Itoa(i) // S0, a control, is the first of all
		suite += "  - {id: P" + n + ", name: p" + n + ", command: P" + n + ", control: S0, expect: {exit: 0}}\n" +
			"  - {id: S" + n + ", name: s" + n + ", command: S" + n + ", serial: true, expect: {exit: 0, stdout: {empty: true}}}\n"
	}
	s := newScene(t, map[string]string{"hooks/guard.sh": hook, "suites/s.yaml": suite})
	sum := s.all(s.open(s.Load(Filter{}), &spy{}, func(o *Options) { o.Jobs = 4 }))
	if sum.Tally.Passed != 8 {
		t.Fatalf("%+v", sum.Tally)
	}
	open := map[string]bool{}
	for line := range strings.Lines(s.Read("log")) {
		what, n, _ := strings.Cut(strings.TrimSpace(line), " ")
		if what == "end" {
			delete(open, n)
			continue
		}
		if len(open) > 0 && (n[0] == 'S' || open["S0"] || open["S1"] || open["S2"] || open["S3"]) {
			t.Errorf("%s starts while %v run", n, open)
		}
		open[n] = true
	}
}

// TestShuffle checks that a seed always gives the same order.
func TestShuffle(t *testing.T) {
	t.Parallel()
	suite := "suite: s\nhook: hooks/guard.sh\nevent: Stop\ncases:\n"
	for i := range 8 {
		suite += "  - {id: A" + strconv.Itoa(i) + ", name: a" + strconv.Itoa(i) + ", expect: {exit: 0}}\n"
	}
	s := newScene(t, map[string]string{"suites/s.yaml": suite})
	p := s.Load(Filter{})
	order := func(seed uint64) string {
		view := &spy{}
		s.all(s.open(p, view, func(o *Options) { o.Jobs, o.Shuffle = 1, seed }))
		return view.order()
	}
	first := order(7)
	if again := order(7); again != first {
		t.Errorf("seed 7 gives\n%s, then\n%s", first, again)
	}
	if order(8) == first {
		t.Error("seed 8 gives the order of seed 7")
	}
	if strings.Count(first, "pass") != 8 {
		t.Errorf("not all ran: %s", first)
	}
}

// TestUnrecorded checks that failures to write records are reported once, and that cases still
// run.
func TestUnrecorded(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/s.yaml": pair})
	view := &spy{}
	session := s.open(s.Load(Filter{}), view, func(o *Options) { o.Jobs = 1 })
	if err := os.RemoveAll(s.Path("results/rolling")); err != nil {
		t.Fatal(err)
	}
	s.Write("results/rolling", "a file where a directory should be")
	sum := s.all(session)
	if sum.RecordError == nil || sum.Tally.Passed != 2 {
		t.Errorf("%+v", sum)
	}
	if got := view.order(); strings.Count(got, "warning") != 1 || !strings.Contains(got, "records are not kept") || !strings.HasSuffix(got, "B1 pass, A1 pass, end") {
		t.Errorf("events: %s", got)
	}
}
