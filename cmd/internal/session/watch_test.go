//go:build unix

package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/run"
)

const open = "#!/bin/bash\nexit 0\n"

// TestWatchBreakAndMend checks that a regression is announced once, after it has settled and was
// seen twice, and that its end is announced once.
func TestWatchBreakAndMend(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/s.yaml": pair})
	w := s.watch()
	if done := w.runDone(); done.Tally != (suites.Tally{Passed: 2}) || done.Full {
		t.Fatalf("the first run: %+v", done)
	}

	s.Write("hooks/guard.sh", open)
	changed := next[Changed](w)
	equal(t, "changes", []Change{{Path: "hooks/guard.sh"}}, changed.Changes)
	equal(t, "selected", "B1 A1", keys(changed.Selected))
	equal(t, "state", suites.State{Tally: suites.Tally{Passed: 2}}, changed.State)
	if done := w.runDone(); done.Tally != (suites.Tally{Failed: 1, Unproven: 1}) {
		t.Errorf("broken: %+v", done.Tally)
	}
	// The reproduction shows nothing: the next event is the news.
	news := next[Transitions](w)
	if recordIDs(news.Regressions) != "B1" || len(news.Resolved) != 0 {
		t.Errorf("regressions %s, resolved %s", recordIDs(news.Regressions), recordIDs(news.Resolved))
	}
	if n := s.history("B1"); n != 3 {
		t.Errorf("%d records of B1, want 3: it passed, failed, and failed again", n)
	}

	s.Write("hooks/guard.sh", guard)
	next[Changed](w)
	if done := w.runDone(); done.Tally != (suites.Tally{Passed: 2}) {
		t.Errorf("mended: %+v", done.Tally)
	}
	news = next[Transitions](w)
	if recordIDs(news.Resolved) != "B1" || len(news.Regressions) != 0 {
		t.Errorf("regressions %s, resolved %s", recordIDs(news.Regressions), recordIDs(news.Resolved))
	}
	if sum := w.quit(); sum.Interrupted || sum.RecordError != nil {
		t.Errorf("summary %+v", sum)
	}
	for len(w.events) > 0 {
		if e := <-w.events; e != (Rested{}) {
			t.Errorf("and then %+v", e)
		}
	}
	if present := s.present(); !present["A1"].Pass || !present["B1"].Pass {
		t.Errorf("on record %v", present)
	}
}

// TestWatchConsent checks that values requested by a save are reported, and used only after the
// user has consented outside the session.
func TestWatchConsent(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/s.yaml": pair})
	w := s.watch()
	w.runDone()

	warns := func(what, text string) {
		t.Helper()
		s.Write(".hookwatch.yaml", settings+what)
		seen := w.until("warning", func(e Event) bool { _, ok := e.(Warning); return ok })
		if got := seen[len(seen)-1].(Warning).Text; !strings.Contains(got, text) || !strings.Contains(got, "hookwatch trust") {
			t.Errorf("warning: %s", got)
		}
	}
	warns("run: {pass_env: [API_KEY]}\n", "asks for run.pass_env: [API_KEY];")
	warns("run: {pass_env: [API_KEY, OTHER_KEY]}\n", "asks for run.pass_env: [API_KEY, OTHER_KEY];")
	asked, _ := w.reload()
	if len(asked.Config.Run.PassEnv) != 0 {
		t.Errorf("passed on: %v", asked.Config.Run.PassEnv)
	}
	if err := config.AgreementsIn(asked.Config.State).Agree(asked.Config.Dir, asked.Config.Identity(nil), asked.Config.Values(), time.Now()); err != nil {
		t.Fatal(err)
	}
	// The environment of every case has changed: all are stale.
	if done := w.runDone(); done.Tally != (suites.Tally{Passed: 2}) {
		t.Errorf("agreed: %+v", done.Tally)
	}
	if agreed, _ := w.reload(); len(agreed.Config.Run.PassEnv) != 2 {
		t.Errorf("agreed, and passed on: %v", agreed.Config.Run.PassEnv)
	}
	w.quit()
}

// TestWatchFlaky checks that a failure that is not reproduced is no regression.
func TestWatchFlaky(t *testing.T) {
	t.Parallel()
	// A trace of the first run would execute the hook, too, and perhaps the saved one.
	s := newScene(t, map[string]string{".hookwatch.yaml": settings + "run: {trace: never}\n", "suites/s.yaml": oneCase("A1", "expect: {exit: 0}")})
	w := s.watch()
	w.runDone()
	// Hookwatch must not know the file: else its creation makes the case stale, which hides the failure.
	s.Write("hooks/guard.sh", "#!/bin/bash\nonce=$(printf %s "+t.TempDir()+")/once\n[[ -e $once ]] && exit 0\ntouch \"$once\"\nexit 1\n")
	w.until("the failure", func(e Event) bool { done, ok := e.(RunDone); return ok && done.Tally.Failed == 1 })
	if warning := next[Warning](w); warning.Text != "A1 one is flaky: fail, then pass on the same content" {
		t.Errorf("warning %q", warning.Text)
	}
	w.quit()
	for len(w.events) > 0 {
		if e, ok := (<-w.events).(Transitions); ok {
			t.Errorf("reported %+v", e)
		}
	}
}

// TestWatchSuites checks that cases appear and disappear with their files.
func TestWatchSuites(t *testing.T) {
	t.Parallel()
	other := "suite: other\nhook: hooks/guard.sh\nevent: Stop\ncases:\n  - {id: C1, name: c, expect: {exit: 0}}\n"
	s := newScene(t, map[string]string{"suites/s.yaml": pair})
	w := s.watch()
	w.runDone()
	s.Write("suites/other.yaml", other)
	changed := next[Changed](w)
	equal(t, "changes by a new suite", []Change{{Path: "suites/other.yaml"}}, changed.Changes)
	equal(t, "selected by a new suite", "C1", keys(changed.Selected))
	equal(t, "state with a new suite", suites.State{Tally: suites.Tally{Passed: 2}, NotRun: 1}, changed.State)
	w.runDone()
	if err := os.Remove(s.Path("suites/other.yaml")); err != nil {
		t.Fatal(err)
	}
	changed = next[Changed](w)
	equal(t, "changes by a removed suite", []Change{{Path: "suites/other.yaml"}}, changed.Changes)
	equal(t, "selected by a removed suite", "", keys(changed.Selected))
	equal(t, "state without a removed suite", suites.State{Tally: suites.Tally{Passed: 2}}, changed.State)
	w.commands <- RunAll
	if done := w.runDone(); done.Tally.Total() != 2 || done.State.Total() != 2 {
		t.Errorf("left over: %+v", done)
	}
	s.Write("suites/s.yaml", strings.Replace(pair, "command: fine", "command: all fine", 1))
	if changed := next[Changed](w); keys(changed.Selected) != "B1 A1" {
		t.Errorf("an edited case and its control: %+v", changed)
	}
	w.runDone()
	w.quit()
}

// TestWatchKeepsSaving checks that a user who saves faster than a case ends sees verdicts: about earlier
// saves, marked as such and never the verdict of record, and in the end that of the last save.
func TestWatchKeepsSaving(t *testing.T) {
	t.Parallel()
	pipe := func(name string) *os.File {
		path := filepath.Join(t.TempDir(), name)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	started, ends := pipe("started"), pipe("ends")
	held := fmt.Sprintf("#!/bin/bash\necho >%s\nread -r <%s\necho no >&2; exit 2 # ", started.Name(), ends.Name())
	// A trace of the first run would execute the hook, too, and perhaps the saved one.
	s := newScene(t, map[string]string{".hookwatch.yaml": settings + "run: {trace: never}\n", "suites/s.yaml": oneCase("A1", "expect: {exit: 0}")})
	w := s.watch()
	w.runDone()
	for i := range savesUnseen + 2 { // the first starts the case, the last lets it end
		s.Write("../next.sh", fmt.Sprint(held, i))
		if err := os.Rename(s.Path("../next.sh"), s.Path("hooks/guard.sh")); err != nil { // a save that is noticed once
			t.Fatal(err)
		}
		w.until("a save", func(e Event) bool { _, ok := e.(Changed); return ok })
		if i > savesUnseen {
			continue // the case has not been started again
		}
		if _, err := started.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ends.WriteString(strings.Repeat("\n", 20)); err != nil { // also for runs that find a place
		t.Fatal(err)
	}
	var got []string
	for _, e := range w.until("the end", func(e Event) bool { _, ok := e.(RunDone); return ok }) {
		if done, ok := e.(CaseDone); ok {
			got = append(got, fmt.Sprintf("%s %s %v %v", done.Status, done.Transition, done.Record.Digests.Inputs != "", strings.Contains(done.Note, "earlier save")))
		}
	}
	equal(t, "verdicts", []string{"fail regression false true", "fail regression true false"}, got)
	if news := next[Transitions](w); recordIDs(news.Regressions) != "A1" {
		t.Errorf("regressions %s", recordIDs(news.Regressions))
	}
	w.quit()
	if r := s.present()["A1"]; r.Pass || r.Digests.Inputs == "" {
		t.Errorf("on record %+v", r)
	}
}

// TestAllow checks that what may end although its files were saved again is cancelled after a time.
func TestAllow(t *testing.T) {
	t.Parallel()
	cancelled := make(chan struct{})
	x := &execution{cancel: func() { close(cancelled) }}
	x.allow(0)
	x.allow(0) // once
	<-cancelled
	if !x.earlier || x.stale {
		t.Errorf("%+v", x)
	}
}

// TestWatchSuiteComesBack checks that a case that was removed during a run, and so has no verdict
// on file, runs again if it comes back before the next run.
func TestWatchSuiteComesBack(t *testing.T) {
	t.Parallel()
	other := "suite: other\nhook: hooks/guard.sh\nevent: Stop\ncases:\n  - {id: C1, name: c, expect: {exit: 0}}\n"
	slow := "suite: slow\nhook: hooks/slow.sh\nevent: Stop\ncases:\n  - {id: S1, name: s, expect: {exit: 0}}\n"
	held := "#!/bin/bash\nwhile [[ -e $CLAUDE_PROJECT_DIR/hold ]]; do sleep 0.01; done\n"
	s := newScene(t, map[string]string{"suites/slow.yaml": slow, "suites/other.yaml": other, "hooks/slow.sh": held})
	w := s.watch()
	w.runDone()
	s.Write("hold", "")
	s.Write("hooks/slow.sh", held+"true\n")
	next[Changed](w)
	s.Write("hooks/guard.sh", "#!/bin/bash\necho new\n")
	w.until("verdict of C1", func(e Event) bool { done, ok := e.(CaseDone); return ok && done.Record.ID == "C1" })
	if err := os.Remove(s.Path("suites/other.yaml")); err != nil {
		t.Fatal(err)
	}
	if changed := next[Changed](w); changed.State.Total() != 1 {
		t.Errorf("without the suite: %+v", changed)
	}
	if err := os.Remove(s.Path("hold")); err != nil {
		t.Fatal(err)
	}
	if done := w.runDone(); recordIDs(done.Records) != "S1" {
		t.Errorf("the run that lost a case: %+v", done)
	}
	s.Write("suites/other.yaml", other)
	if changed := next[Changed](w); keys(changed.Selected) != "C1" {
		t.Errorf("the suite is back: %+v", changed)
	}
	w.runDone()
	w.quit()
	if r := s.present()["C1"]; r.ActualOutput != "new\n" {
		t.Errorf("on record %+v", r)
	}
}

// TestWatchProblems checks that the last valid state is used while there are problems.
func TestWatchProblems(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/s.yaml": pair})
	w := s.watch()
	w.runDone()
	for _, name := range []string{".hookwatch.yaml", "suites/s.yaml"} {
		good := s.Read(name)
		s.Write(name, good+"nonsense: [1\n")
		if p := next[Problems](w); len(p.List) == 0 || !p.InForce {
			t.Fatalf("%s: problems %+v", name, p)
		}
		s.Write("hooks/guard.sh", open)
		w.until("change of the hook", func(e Event) bool {
			c, ok := e.(Changed)
			return ok && len(c.Changes) == 1 && c.Changes[0].Path == "hooks/guard.sh"
		})
		if done := w.runDone(); done.Tally.Failed != 1 || done.State.Total() != 2 {
			t.Errorf("%s: under the last good state: %+v", name, done.Tally)
		}
		s.Write(name, good)
		w.until("end of the problems", func(e Event) bool {
			p, ok := e.(Problems)
			return ok && len(p.List) == 0
		})
		s.Write("hooks/guard.sh", guard)
		if done := w.runDone(); done.Tally.Passed != 2 {
			t.Errorf("%s: %+v", name, done.Tally)
		}
	}
	w.quit()
}

// TestWatchCommands checks the requests that the user makes with keys.
func TestWatchCommands(t *testing.T) {
	t.Parallel()
	suite := strings.Replace(pair, "cases:\n", "cases:\n  - {id: F1, name: fails, command: bad, expect: {exit: 0}}\n", 1)
	s := newScene(t, map[string]string{"suites/s.yaml": suite})
	w := s.watch()
	w.runDone()
	for _, tt := range []struct {
		command Command
		want    string
	}{{RunFailed, "F1"}, {RunAgain, "F1"}, {RunAll, "A1 B1 F1"}, {RunAgain, "A1 B1 F1"}, {RunFailed, "F1"}} {
		w.commands <- tt.command
		if got := recordIDs(w.runDone().Records); got != tt.want {
			t.Errorf("command %v runs %s, want %s", tt.command, got, tt.want)
		}
	}
	w.commands <- Show{Event: func(cases, failed []*suites.Case) Event {
		return Typing{Cases: 10*len(cases) + len(failed)}
	}}
	if got := next[Typing](w).Cases; got != 31 {
		t.Errorf("shown with %d, want 3 cases of which 1 fails", got)
	}
	s.Write("hooks/guard.sh", open)
	w.runDone()
	s.Write("suites/s.yaml", strings.Replace(suite, "  - {id: B1", "  #", 1))
	w.until("problems", func(e Event) bool { _, ok := e.(Problems); return ok })
	w.quit()
}

// TestWatchCalledOff checks that a signal ends a session while it loads a project, however long
// that takes.
func TestWatchCalledOff(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/s.yaml": pair})
	w := s.watch()
	w.runDone()
	loading, release := make(chan struct{}), make(chan struct{})
	w.loading = func() {
		close(loading)
		<-release
	}
	defer close(release)
	s.Write("suites/s.yaml", pair+"# and more\n")
	<-loading
	w.cancel()
	select {
	case sum := <-w.ended:
		if sum.Interrupted || sum.RecordError != nil {
			t.Errorf("nothing was running: %+v", sum)
		}
	case <-time.After(ceiling):
		t.Error("the session does not end")
	}
}

// TestWatchOtherPlaces checks that a save in a place where a new configuration has suites is not
// missed between loading and watching.
func TestWatchOtherPlaces(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/s.yaml": pair, "more/m.yaml": strings.Replace(pair, "suite: s", "suite: m", 1)})
	w := s.watch()
	w.runDone()
	saved := false
	w.loaded = func() {
		if !saved {
			saved = true
			s.Write("more/m.yaml", strings.NewReplacer("suite: s", "suite: m", "exit: 0", "exit: 3").Replace(pair))
		}
	}
	s.Write(".hookwatch.yaml", strings.Replace(s.Read(".hookwatch.yaml"), "suites/*.yaml", "suites/*.yaml, more/*.yaml", 1))
	failed := func(e Event) bool {
		done, ok := e.(CaseDone)
		return ok && done.Record.Suite == "m" && !done.Record.Pass
	}
	w.until("a verdict on what was saved", failed)
	w.quit()
}

// TestWatchQuit checks that running cases leave no record and no process.
func TestWatchQuit(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"hooks/guard.sh": hanging, "suites/s.yaml": quickAndHanging})
	s.Write("hooks/guard.sh", hanging+"until [[ -s $CLAUDE_PROJECT_DIR/pids ]]; do sleep 0.01; done\n")
	w := s.watch()
	w.until("a verdict", func(e Event) bool { _, ok := e.(CaseDone); return ok })
	sum := w.quit()
	if !sum.Interrupted || sum.Tally.Failed != 0 {
		t.Errorf("summary %+v", sum)
	}
	pids := strings.Fields(s.Read("pids"))
	s.noneRuns("pids", len(pids))
	present := s.present()
	if slices.ContainsFunc([]string{"H1", "H2"}, func(id string) bool { _, ok := present[id]; return ok }) || !present["Q1"].Pass {
		t.Errorf("on record %v", present)
	}
}

// TestWatchEachSave checks that a save reports its own cases, and not those that wait because of
// another save.
func TestWatchEachSave(t *testing.T) {
	t.Parallel()
	held := "#!/bin/bash\nwhile [[ -e $CLAUDE_PROJECT_DIR/hold ]]; do sleep 0.01; done\n"
	s := newScene(t, map[string]string{
		"hooks/slow.sh": held, "hooks/b.sh": guard, "hooks/c.sh": guard,
		"suites/s.yaml": "suite: s\nevent: Stop\ncases:\n  - {id: S1, name: s, hook: hooks/slow.sh, expect: {exit: 0}}\n" +
			"  - {id: S2, name: s, hook: hooks/slow.sh, expect: {exit: 0}}\n" +
			"  - {id: B1, name: b, hook: hooks/b.sh, expect: {exit: 0}}\n  - {id: C1, name: c, hook: hooks/c.sh, expect: {exit: 0}}\n",
	})
	w := s.watch()
	w.runDone()
	s.Write("hold", "")
	for _, save := range []struct{ file, content, want string }{
		{"hooks/slow.sh", held + "true\n", "S1 S2"},
		{"hooks/b.sh", guard + "true\n", "B1"},
		{"hooks/c.sh", guard + "true\n", "C1"},
		{"hooks/b.sh", guard + "echo\n", "B1"},
	} {
		s.Write(save.file, save.content)
		w.until("the save of "+save.file, func(e Event) bool {
			changed, ok := e.(Changed)
			if ok && keys(changed.Selected) != save.want {
				t.Errorf("a save of %s selects %s, want %s", save.file, keys(changed.Selected), save.want)
			}
			return ok
		})
	}
	if err := os.Remove(s.Path("hold")); err != nil {
		t.Fatal(err)
	}
	w.runDone()
	w.quit()
}

// TestWatchCheckInterrupted checks that a save interrupts a check, whose findings are not shown, and that
// the hooks are checked again.
func TestWatchCheckInterrupted(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{".hookwatch.yaml": settings + "run: {trace: never}\n", "suites/s.yaml": oneCase("A1", "expect: {exit: 0}")})
	begun, calls := make(chan struct{}), 0
	w := s.watch(func(o *WatchOptions) {
		o.Check = func(ctx context.Context, _ *Project, _ *run.Runner) ([]check.Finding, error) {
			if calls++; calls == 1 {
				close(begun)
				<-ctx.Done()
			}
			return []check.Finding{{What: fmt.Sprint("of check ", calls)}}, nil
		}
	})
	w.runDone()
	<-begun
	s.Write("hooks/guard.sh", open+"# saved\n")
	seen := w.until("the second check", func(e Event) bool {
		p, ok := e.(Present)
		return ok && len(p.Findings) > 0
	})
	if got := seen[len(seen)-1].(Present).Findings[0].What; got != "of check 2" {
		t.Errorf("the first findings are %s", got)
	}
	w.quit()
}
