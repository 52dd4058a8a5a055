//go:build unix

package session

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// quickAndHanging has two hanging cases, one of which is the control of another case, one case
// that ends quickly, and one that waits.
const quickAndHanging = `suite: s
hook: hooks/guard.sh
timeout: 10m
event: PreToolUse
tool: Bash
cases:
  - {id: H1, name: hangs, command: hang, expect: {exit: 2}}
  - {id: Q1, name: quick, command: fine, expect: {exit: 0}}
  - {id: A1, name: waits_for_its_control, command: fine, control: H1, expect: {exit: 0}}
  - {id: H2, name: hangs_too, command: hang, expect: {exit: 0}}
  - {id: W1, name: waits, command: fine, expect: {exit: 0}}
`

// hanging hangs if requested, with children of which one has its own session, and writes their
// PIDs to a file.
const hanging = `#!/bin/bash
if grep -q '"hang"'; then
  sleep 1000 & setsid sleep 1000 & sleep 1000 &
  echo $$ $(jobs -p) >>"$CLAUDE_PROJECT_DIR/pids"
  wait
fi
`

// noneRuns checks that none of the processes in the file is alive.
func (s *scene) noneRuns(file string, want int) {
	s.T.Helper()
	pids := strings.Fields(s.Read(file))
	if len(pids) != want {
		s.T.Errorf("processes %v, want %d", pids, want)
	}
	for _, text := range pids {
		pid, err := strconv.Atoi(text)
		if err != nil || pid < 2 {
			s.T.Fatalf("no PID: %q", text)
		}
		if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
			s.T.Errorf("process %d is still there: %v", pid, err)
		}
	}
}

// TestBackstop checks that cases without a verdict at the backstop are aborted, and that the
// tally covers all cases.
func TestBackstop(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"hooks/guard.sh": hanging, "suites/s.yaml": quickAndHanging})
	s.Write(".hookwatch.yaml", settings+"run: {backstop: 8s}\n")
	quick, over := make(chan bool, 8), make(chan time.Time)
	view := &spy{on: func(e Event) {
		if _, ok := e.(CaseDone); ok {
			quick <- true
		}
	}}
	go func() { // once Q1 has ended and both others hang
		defer close(over)
		<-quick
		look := time.NewTicker(5 * time.Millisecond)
		defer look.Stop()
		for limit := time.Now().Add(ceiling); time.Now().Before(limit); <-look.C {
			if pids, _ := os.ReadFile(filepath.Join(s.Root, "pids")); len(strings.Fields(string(pids))) == 8 {
				return
			}
		}
	}()
	sum := s.all(s.open(s.Load(Filter{}), view, func(o *Options) { o.After = func(time.Duration) <-chan time.Time { return over } }))
	aborted := suites.Tally{Passed: 1, Aborted: 4}
	equal(t, "summary", Summary{RunID: sum.RunID, Tally: aborted, Present: aborted, Aborted: "backstop: the run took 8s"}, sum)
	if got := view.order(); got != "start, Q1 pass, H1 aborted, A1 aborted, H2 aborted, W1 aborted, end" {
		t.Errorf("events: %s", got)
	}
	present := s.present()
	for _, id := range []string{"H1", "A1", "H2", "W1"} {
		r := present[id]
		want := r
		want.Verdict, want.Reason, want.Pass, want.Note, want.ActualExit = suites.Aborted, "", false, "ABORTED: "+sum.Aborted, nil
		equal(t, "the record of "+id, want, r)
		if n := s.history(id); n != 1 {
			t.Errorf("%s has %d verdicts", id, n)
		}
	}
	if q := present["Q1"]; q.Status() != suites.Pass {
		t.Errorf("Q1 is on record as %+v", q)
	}
	s.noneRuns("pids", 8)
	s.empty(s.temp)
	s.empty(s.keep)
}

// TestAbortedAudit checks that an audit does not count an aborted case.
func TestAbortedAudit(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/s.yaml": oneCase("A1", "expect: {exit: 0}")})
	session := s.open(s.Load(Filter{}), nil, nil)
	s.all(session)
	c := session.project.Cases[0]
	for _, tt := range []struct {
		record suites.Record
		want   AuditResult
	}{
		{suites.Record{Note: "ABORTED: backstop"}, AuditResult{}},
		{suites.Record{Pass: true}, AuditResult{Checked: 1}},
		{suites.Record{}, AuditResult{Checked: 1, Missed: []suites.Key{c.Key()}}},
	} {
		session.auditCase(c.Key())
		session.checkAudited(c.Key(), &tt.record)
		if got := session.TakeAudit(); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("after %+v: %+v, want %+v", tt.record, got, tt.want)
		}
	}
}

// TestInterrupted checks that no process remains, and that finished cases are recorded.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/s.yaml": quickAndHanging})
	session, sum, view := s.interrupt()
	equal(t, "summary", Summary{RunID: sum.RunID, Tally: suites.Tally{Passed: 1}, Present: suites.Tally{Passed: 1}, Interrupted: true}, sum)
	if end := view.events[len(view.events)-1].(RunDone); end.Full {
		t.Errorf("the end counts as that of a full run: %+v", end)
	}
	if !s.present()["Q1"].Pass {
		t.Errorf("on record: %v", s.present())
	}
	if runs, err := s.reader().Runs(); err != nil || len(runs) != 0 {
		t.Errorf("an interrupted run is in the archive: %v, %v", runs, err)
	}
	s.noneRuns("pids", 4)
	s.open(session.project, &spy{}, nil)
	if i := s.store.Interruption(); i != nil {
		t.Errorf("the next start reports %+v, which ended regularly", i)
	}
}

// interrupt runs the scene's cases until one is done while another hangs.
func (s *scene) interrupt() (*Session, Summary, *spy) {
	s.T.Helper()
	s.Write("hooks/guard.sh", hanging+"until [[ -s $CLAUDE_PROJECT_DIR/pids ]]; do sleep 0.01; done\n")
	ctx, cancel := context.WithTimeout(s.T.Context(), ceiling)
	defer cancel()
	view := &spy{on: func(e Event) {
		if _, ok := e.(CaseDone); ok {
			cancel()
		}
	}}
	session := s.open(s.Load(Filter{}), view, nil)
	return session, session.RunOnce(ctx, verdict.All(session.project.Cases, "asked for"), true), view
}

// TestInterruptedVerdicts checks that a cancelled case has no verdict, whether its end or the end
// of the run is received first.
func TestInterruptedVerdicts(t *testing.T) {
	t.Parallel()
	for range 4 {
		s := newScene(t, map[string]string{"suites/s.yaml": quickAndHanging})
		s.Write("hooks/guard.sh", hanging+"until [[ -s $CLAUDE_PROJECT_DIR/pids ]]; do sleep 0.01; done\n")
		ctx, cancel := context.WithTimeout(t.Context(), ceiling)
		defer cancel()
		view := &spy{on: func(e Event) {
			if _, ok := e.(CaseDone); ok {
				cancel()
				<-time.After(300 * time.Millisecond) // by now both can be received
			}
		}}
		session := s.open(s.Load(Filter{}), view, nil)
		sum := session.RunOnce(ctx, verdict.All(session.project.Cases, "asked for"), true)
		equal(t, "summary", Summary{RunID: sum.RunID, Tally: suites.Tally{Passed: 1}, Present: suites.Tally{Passed: 1}, Interrupted: true}, sum)
		equal(t, "events", "start, Q1 pass, end", view.order())
		if present := s.present(); len(present) != 1 || !present["Q1"].Pass {
			t.Errorf("on record: %v", present)
		}
	}
}

// TestPreflight checks that a full run stops before it starts if a requirement is missing;
// selected runs and projects with the report policy do not.
func TestPreflight(t *testing.T) {
	t.Parallel()
	const hook = "#!/bin/bash\necho ran >>\"$CLAUDE_PROJECT_DIR/ran\"\nif grep -qw bad; then exit 2; fi\n"
	const required = "preflight: {required: [no-such-tool, bash, nor-such], policy: "
	const reason = "preflight: required and absent: no-such-tool, nor-such"
	for _, tt := range []struct {
		name, policy, order string
		full                bool
		tally               suites.Tally
	}{
		{"abort", "abort", "start, B1 aborted, A1 aborted, end", true, suites.Tally{Aborted: 2}},
		{"abort, selected", "abort", "start, B1 pass, A1 pass, end", false, suites.Tally{Passed: 2}},
		{"report", "report", "start, warning: " + reason + ", B1 pass, A1 pass, end", true, suites.Tally{Passed: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, map[string]string{"hooks/guard.sh": hook, "suites/s.yaml": pair})
			s.Write(".hookwatch.yaml", settings+required+tt.policy+"}\n")
			view := &spy{}
			session := s.open(s.Load(Filter{}), view, func(o *Options) { o.Jobs = 1 })
			ctx, cancel := context.WithTimeout(t.Context(), ceiling)
			defer cancel()
			sum := session.RunOnce(ctx, verdict.All(session.project.Cases, "asked for"), tt.full)
			if got := view.order(); got != tt.order || sum.Tally != tt.tally {
				t.Errorf("%+v: %s", sum, got)
			}
			if ran := s.Read("ran") != ""; ran != (tt.tally.Passed > 0) {
				t.Errorf("a hook ran: %v", ran)
			}
			if tt.tally.Aborted == 0 {
				return
			}
			r := s.present()["A1"]
			want := r
			want.Verdict, want.Pass, want.Note = suites.Aborted, false, "ABORTED: "+reason
			equal(t, "the record of A1", want, r)
			equal(t, "reason", reason, sum.Aborted)
			// Cases that never ran are stale.
			if stale := s.open(session.project, view, nil).Stale(); len(stale) != 2 || stale[0].Because[0] != verdict.NeverRun {
				t.Errorf("stale afterwards: %+v", stale)
			}
		})
	}
}
