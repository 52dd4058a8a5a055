//go:build unix

package session

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"hookwatch/suites"
)

// checks comes before the pair: two required tools, an expected one, an optional one, and a file.
const checks = `suite: dep
category: dependency
cases:
  - {id: D1, name: first, check: {tool: no-such-tool, need: required}}
  - {id: D2, name: second, check: {tool: bash, need: required}}
  - {id: D3, name: expected, check: {tool: nor-such, places: [nor-such, bin/nor-such]}}
  - {id: D4, name: optional, check: {tool: neither, need: optional}}
  - {id: D5, name: advisory, check: {tool: neither, need: advisory}}
  - {id: D6, name: file, check: {file: hooks/guard.sh}}
`

// TestChecksFirst checks that a missing requirement aborts all cases that fire a hook, after
// every check is done, and that the project's own list has priority over the suite's.
func TestChecksFirst(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, config string
		tally        suites.Tally
		aborted      string
		missing      string
		d1, d3       string // notes
	}{
		{"the suite's rule", "", suites.Tally{Passed: 3, Skipped: 1, Failed: 2, Aborted: 2}, "D1 no-such-tool absent", "no-such-tool",
			"NO_SUCH_TOOL_ABSENT", "NOR_SUCH_ABSENT (nor-such is not in PATH, no bin/nor-such)"},
		{"report", "preflight: {policy: report}\n", suites.Tally{Passed: 5, Skipped: 1, Failed: 2}, "", "",
			"NO_SUCH_TOOL_ABSENT", "NOR_SUCH_ABSENT (nor-such is not in PATH, no bin/nor-such)"},
		{"nothing required", "preflight: {required: []}\ngates: {nor-such: skip}\n", suites.Tally{Passed: 5, Skipped: 3}, "", "",
			"absent: no-such-tool", "absent: nor-such (nor-such is not in PATH, no bin/nor-such)"},
		{"a list of its own", "preflight: {required: [nor-such, unchecked]}\n", suites.Tally{Passed: 3, Skipped: 2, Failed: 1, Aborted: 2},
			"D3 nor-such absent, preflight: required and absent: unchecked", "nor-such unchecked",
			"absent: no-such-tool", "NOR_SUCH_ABSENT (nor-such is not in PATH, no bin/nor-such)"},
		{"both", "preflight: {required: [builtin, unchecked]}\n", suites.Tally{Passed: 3, Skipped: 1, Failed: 2, Aborted: 2},
			"D1 no-such-tool absent, preflight: required and absent: unchecked", "no-such-tool unchecked",
			"NO_SUCH_TOOL_ABSENT", "NOR_SUCH_ABSENT (nor-such is not in PATH, no bin/nor-such)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, map[string]string{"suites/s.yaml": pair, "suites/dep.yaml": checks})
			s.Write(".hookwatch.yaml", settings+tt.config)
			view := &spy{}
			sum := s.all(s.open(s.Load(Filter{}), view, nil))
			want := Summary{RunID: sum.RunID, Tally: tt.tally, Present: tt.tally, Aborted: tt.aborted, Missing: strings.Fields(tt.missing)}
			equal(t, "summary", want, sum, cmpopts.EquateEmpty())
			present := s.present()
			if present["D1"].Note != tt.d1 || present["D3"].Note != tt.d3 {
				t.Errorf("on record: %q and %q", present["D1"].Note, present["D3"].Note)
			}
			if b := present["B1"]; tt.aborted != "" && (b.Note != "ABORTED: "+tt.aborted || b.Pass || b.ActualExit != nil) {
				t.Errorf("B1 is on record as %+v", b)
			}
			for i, d := range view.done() {
				if fires := d.Record.Suite == "s"; fires && tt.aborted != "" && i < 6 {
					t.Errorf("%s is heard of before all checks: %s", d.Record.ID, view.order())
				}
			}
			s.empty(s.temp)
			s.empty(s.keep)
		})
	}
}

// TestCheckRecord checks that the record of a check has the values that other tools write.
func TestCheckRecord(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/dep.yaml": checks})
	s.all(s.open(s.Load(Filter{}), &spy{}, nil))
	present := s.present()
	d2, d1, d6 := present["D2"], present["D1"], present["D6"]
	ok, not := 0, 1
	if !strings.HasSuffix(d2.ActualOutput, "/bash") {
		t.Errorf("the path of bash is %s", d2.ActualOutput)
	}
	for _, tt := range []struct{ got, want suites.Record }{
		{d2, suites.Record{InputSummary: "command -v bash", ExpectedDecision: "present", ActualDecision: "present", ExpectedExit: &ok, ActualExit: &ok, ActualOutput: d2.ActualOutput, Pass: true}},
		{d1, suites.Record{InputSummary: "command -v no-such-tool", ExpectedDecision: "present", ActualDecision: "absent", ExpectedExit: &ok, ActualExit: &not,
			ActualStderr: "no-such-tool is not in PATH", Note: "NO_SUCH_TOOL_ABSENT"}},
		{d6, suites.Record{InputSummary: "hooks/guard.sh", ExpectedDecision: "exists", ActualDecision: "exists", ExpectedExit: &ok, ActualExit: &ok, ActualOutput: d6.ActualOutput, Pass: true}},
	} {
		tt.want.Hook, tt.want.Category = "infrastructure", "dependency"
		equal(t, tt.got.ID, tt.want, tt.got, cmpopts.IgnoreFields(suites.Record{}, "ID", "TestName", "Timestamp", "DurationMS", "Suite", "Layer", "RunID", "Digests", "Isolation", "Verdict", "Reason"))
	}
}

// TestChecksSelected checks that a selected run is never aborted, and that a new tool or a
// removed file makes only its own check stale.
func TestChecksSelected(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/s.yaml": pair, "suites/dep.yaml": checks})
	tools := s.Path("tools")
	more := func(o *Options) { o.Env = []string{"PATH=" + tools + ":" + os.Getenv("PATH"), "HOME=" + s.temp} }
	view := &spy{}
	s.Write("tools/x", "")
	session := s.open(s.Load(Filter{}), view, more)
	if sum := session.RunOnce(t.Context(), session.Stale(), false); sum.Aborted != "" || sum.Tally.Passed != 5 {
		t.Errorf("%+v: %s", sum, view.order())
	}
	s.Write("tools/no-such-tool", "#!/bin/sh\n")
	session = s.open(s.Load(Filter{}), view, more)
	if stale := session.Stale(); len(stale) != 1 || stale[0].Case.ID != "D1" {
		t.Errorf("stale: %+v", stale)
	}
	if sum := session.RunOnce(t.Context(), session.Stale(), false); sum.Tally.Passed != 1 {
		t.Errorf("%+v: %s", sum, view.order())
	}
	if d := view.find("D1"); d.Transition == Regression {
		t.Errorf("D1: %+v", d)
	}
}

// TestAppliesTo checks that a suite whose files the project lacks has no cases there, and that a
// hook that the settings still name counts as present.
func TestAppliesTo(t *testing.T) {
	t.Parallel()
	with := "applies_to: [hooks/guard.sh, hooks/other.sh]\n" + checks
	s := newScene(t, map[string]string{"suites/s.yaml": pair, "suites/dep.yaml": with})
	if p := s.Load(Filter{}); len(p.Every()) != 2 {
		t.Errorf("%d cases, want the pair alone", len(p.Every()))
	}
	s.Write(".claude/settings.json", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "hooks/other.sh"}]}]}}`)
	if p := s.Load(Filter{}); len(p.Every()) != 9 {
		t.Errorf("%d cases, want all, and one of the registration", len(p.Every()))
	}
	s.Write(".claude/settings.json", "{}")
	s.Write("hooks/other.sh", guard)
	if p := s.Load(Filter{}); len(p.Every()) != 8 {
		t.Errorf("%d cases, want all", len(p.Every()))
	}
}

// TestBackstopBehindChecks checks that cases still waiting for the checks at the backstop get a
// verdict, too.
func TestBackstopBehindChecks(t *testing.T) {
	t.Parallel()
	const slow = "suite: dep\ncases:\n  - {id: D1, name: slow, check: {tool: x, need: required, places: [uv run x]}}\n"
	s := newScene(t, map[string]string{"suites/s.yaml": pair, "suites/dep.yaml": slow})
	s.Write(".hookwatch.yaml", settings+"run: {backstop: 300ms}\n")
	view := &spy{}
	session := s.open(s.Load(Filter{}), view, s.machine(map[string]string{"uv": `[ "$1" = --version ] || exec /bin/sleep 1000`}))
	if sum := s.all(session); sum.Tally != (suites.Tally{Aborted: 3}) || !strings.Contains(sum.Aborted, "backstop") {
		t.Errorf("%+v: %s", sum, view.order())
	}
	if len(s.present()) != 3 {
		t.Errorf("on record: %v", s.present())
	}
	s.empty(s.temp)
}
