//go:build unix

package session

import (
	"strings"
	"testing"

	"hookwatch/suites"
)

// TestLostRegistration follows a script with cases whose registration is removed: a regression,
// until it is registered again or forgotten. A script that was never registered is none.
func TestLostRegistration(t *testing.T) {
	t.Parallel()
	const file, event = ".claude/settings.json", "Stop"
	register := func(event string) string {
		return `{"hooks":{"` + event + `":[{"hooks":[{"type":"command","command":"bash -o pipefail hooks/guard.sh"}]}]}}`
	}
	s := newScene(t, map[string]string{
		"suites/s.yaml": oneCase("A", "command: good, expect: {exit: 0}"),
		"suites/f.yaml": "suite: f\nhook: hooks/fixture.sh\nevent: Stop\ncases:\n  - {id: F, name: f, expect: {exit: 0}}\n", "hooks/fixture.sh": guard,
		file: register(event),
	})
	once := func() (failed []CaseDone) {
		view := &spy{}
		s.all(s.open(s.Load(Filter{}), view, nil))
		s.closeStore()
		for _, d := range view.done() {
			if !d.Verdict.Status.OK() {
				failed = append(failed, d)
			}
		}
		return failed
	}
	lost := func(when string) {
		t.Helper()
		failed := once()
		if len(failed) != 1 || failed[0].Record.Suite != suites.Registered || !strings.Contains(failed[0].Verdict.Note, file+" no longer registers hooks/guard.sh for Stop") {
			t.Errorf("%s: %+v", when, failed)
		} else if when == "removed" && failed[0].Transition != Regression {
			t.Errorf("%s: transition %v", when, failed[0].Transition)
		}
	}
	sound := func(when string) {
		t.Helper()
		if failed := once(); failed != nil {
			t.Errorf("%s: %+v", when, failed)
		}
	}
	sound("registered")
	s.Write(file, `{}`)
	lost("removed")
	lost("run again")
	s.Write(file, `{"disableAllHooks": true}`)
	sound("switched off, which is reported otherwise")
	s.Write(file, register("PreToolUse"))
	lost("for another event")
	s.Write(".claude/settings.local.json", register(event))
	sound("in another file")
	s.Write(".claude/settings.local.json", `{}`)
	if failed := once(); len(failed) != 1 || !strings.Contains(failed[0].Verdict.Note, "settings.local.json no longer") {
		t.Errorf("%+v", failed)
	}
	if err := ForgetStops(s.Config()); err != nil {
		t.Fatal(err)
	}
	sound("forgotten")
	s.Write("suites/r.yaml", "suite: r\nregistered: guard.sh\nevent: Stop\ncases:\n  - {id: R, name: r, expect: {exit: 0}}\n")
	s.Write(file, register(event))
	sound("with a case of the registration")
	s.Write(file, `{}`)
	if failed := once(); len(failed) != 1 || failed[0].Record.ID != "R" {
		t.Errorf("reported by a case: %+v", failed)
	}
}
