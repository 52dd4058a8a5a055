//go:build unix

package session

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/toolbox"
)

func number(n int) *int { return &n }

func TestDecisions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		expect         suites.Expectation
		result         suites.Result
		wanted, actual string
	}{
		{"decision", suites.Expectation{Decision: "block", Exit: number(2), Effect: suites.Denied}, suites.Result{Decision: "approve"}, "block", "approve"},
		{"exit", suites.Expectation{Exit: number(2), Effect: suites.Denied}, suites.Result{Exit: 0, Effect: suites.Proceeds, Decision: "x"}, "exit_2", "exit_0"},
		{"exit 0", suites.Expectation{Exit: number(0)}, suites.Result{Exit: 126}, "exit_0", "exit_126"},
		{"effect", suites.Expectation{Effect: suites.Denied}, suites.Result{Effect: suites.Asked}, "denied", "asked"},
		{"text only", suites.Expectation{Stdout: &suites.TextExpectation{Empty: true}}, suites.Result{Exit: 1}, "", "exit_1"},
		{"signal", suites.Expectation{Exit: number(0)}, suites.Result{Exit: -1, Signal: "SIGSEGV"}, "exit_0", "SIGSEGV"},
		{"time-out", suites.Expectation{Decision: "block"}, suites.Result{Exit: -1, Signal: "SIGKILL", TimedOut: true, Decision: "block"}, "block", "timeout"},
		{"not started", suites.Expectation{Decision: "block"}, suites.Result{Exit: -1, NotStarted: "hook missing"}, "block", "not_started"},
	} {
		if got := expectedDecision(tt.expect); got != tt.wanted {
			t.Errorf("%s: expected decision %q, want %q", tt.name, got, tt.wanted)
		}
		if got := actualDecision(tt.expect, tt.result); got != tt.actual {
			t.Errorf("%s: actual decision %q, want %q", tt.name, got, tt.actual)
		}
	}
}

// fields are those of a record in their order: fourteen that other tools write
// as well, then hookwatch's own.
var fields = strings.Fields(`hook test_name category input_summary expected_decision expected_exit actual_decision actual_exit
	actual_output actual_stderr pass note timestamp duration_ms id suite layer run_id digests client isolation`)

// TestRecord: what is kept of an outcome.
func TestRecord(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/s.yaml": pair})
	session := s.open(s.load(project.Filter{}), &spy{}, nil)
	session.open(false)
	two := &suites.Case{
		Suite: "s", ID: "T1", Name: "two_steps", Category: "block", Summary: "pip install", Hook: ".claude/hooks/guard.sh", Layer: suites.Direct,
		Steps: []suites.Step{{Expect: suites.Expectation{Exit: number(0)}}, {Expect: suites.Expectation{Decision: "block"}}},
	}
	chain := &suites.Case{Suite: "s", ID: "C1", Chain: true, Steps: []suites.Step{{Expect: suites.Expectation{Effect: suites.Denied}}}}
	ended := time.Date(2026, 2, 20, 16, 49, 32, 999, time.FixedZone("", 3600))
	results := []suites.Result{{Exit: 0, Stdout: []byte("one")}, {Exit: 2, Decision: "block", Stdout: []byte("two"), Stderr: []byte{0xff}}}
	failing := []suites.Mismatch{{Step: 0, Field: "exit"}, {Step: 1, Field: "decision"}}
	for _, tt := range []struct {
		name    string
		c       *suites.Case
		results []suites.Result
		verdict suites.Verdict
		want    string
	}{
		{"passing, the last step", two, results, suites.Verdict{Status: suites.Pass},
			`guard.sh two_steps "block" "" "block" exit 2 "two" "\\xff\n[hookwatch: not all of this is UTF-8; other bytes are shown as \\xNN]" true ""`},
		{"failing, the first that did", two, results, suites.Verdict{Status: suites.Fail, Note: "exit 1, want 0", Mismatches: failing},
			`guard.sh two_steps "exit_0" "0" "exit_0" exit 0 "one" "" false "exit 1, want 0"`},
		{"not reached", two, results[:1], suites.Verdict{Status: suites.Fail, Note: "x", Mismatches: []suites.Mismatch{{Step: 1, Field: "step"}}},
			`guard.sh two_steps "block" "" "" exit null "" "" false "x"`},
		{"killed", two, []suites.Result{{Exit: -1, Signal: "SIGTERM"}}, suites.Verdict{Status: suites.Fail, Mismatches: failing[:1]},
			`guard.sh two_steps "exit_0" "0" "SIGTERM" exit null "" "" false ""`},
		{"timed out", two, []suites.Result{{Exit: -1, TimedOut: true}}, suites.Verdict{Status: suites.Fail, Note: "TIMEOUT_30s", Mismatches: failing[:1]},
			`guard.sh two_steps "exit_0" "0" "timeout" exit null "" "" false "TIMEOUT_30s"`},
		{"not started", two, []suites.Result{{Exit: -1, NotStarted: "x"}}, suites.Verdict{Status: suites.Fail, Mismatches: failing[:1]},
			`guard.sh two_steps "exit_0" "0" "not_started" exit null "" "" false ""`},
		{"skipped", chain, nil, suites.Verdict{Status: suites.Skip, Note: "absent: biome"}, `chain  "denied" "" "" exit null "" "" true "absent: biome"`},
		{"unproven", chain, []suites.Result{{Effect: suites.Denied}}, suites.Verdict{Status: suites.Unproven, Note: "unproven: control B1"},
			`chain  "denied" "" "denied" exit 0 "" "" true "unproven: control B1"`},
		{"aborted", chain, nil, suites.Verdict{Status: suites.Aborted, Note: "ABORTED: x"}, `chain  "denied" "" "" exit null "" "" false "ABORTED: x"`},
	} {
		e := &execution{c: tt.c, outcome: suites.Outcome{Results: tt.results, Duration: 1234 * time.Microsecond}, ended: ended,
			digests: suites.Digests{Case: "c", Inputs: "i", Tools: "t"}}
		line, err := json.Marshal(session.record(e, tt.verdict))
		if err != nil {
			t.Fatal(err)
		}
		got := tokens(t, line)
		var order []string
		values := map[string]string{}
		for _, f := range got {
			order = append(order, f[0])
			values[f[0]] = f[1]
		}
		if !slices.Equal(order, fields) {
			t.Errorf("%s: fields %v, want %v", tt.name, order, fields)
		}
		expectedExit := `"` + strings.TrimPrefix(values["expected_exit"], "null") + `"`
		summary := strings.Join([]string{strings.Trim(values["hook"], `"`), strings.Trim(values["test_name"], `"`), values["expected_decision"],
			expectedExit, values["actual_decision"], "exit", values["actual_exit"], values["actual_output"], values["actual_stderr"],
			values["pass"], values["note"]}, " ")
		if summary != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.name, summary, tt.want)
		}
		if values["timestamp"] != `"2026-02-20T15:49:32Z"` || values["duration_ms"] != "1" || values["run_id"] != `"`+session.current.id+`"` ||
			values["digests"] != `{"case":"c","inputs":"i","tools":"t"}` || values["isolation"] != `"none"` {
			t.Errorf("%s: %s", tt.name, line)
		}
	}
}

// tokens lists the fields of a JSON object with their values, in their order.
func tokens(t *testing.T, object []byte) (out [][2]string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(object)))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
		out = append(out, [2]string{name.(string), string(value)})
	}
	return out
}

// TestTransition: how a verdict differs from the case's latest in the same
// definition, and what a tool that became another one explains.
func TestTransition(t *testing.T) {
	t.Parallel()
	set := func(versions ...string) (string, []suites.Tool) {
		var tools []suites.Tool
		for _, v := range versions {
			name, digest, _ := strings.Cut(v, "@")
			tools = append(tools, suites.Tool{Name: name, Digest: digest})
		}
		return suites.ToolsDigest(tools), tools
	}
	s := &Session{sets: make(toolbox.Sets), p: &project.Project{}}
	know := func(versions ...string) string {
		digest, tools := set(versions...)
		s.sets.Add(digest, tools)
		return digest
	}
	base, newer, absent, more := know("bash@1", "jq@1"), know("bash@1", "jq@2"), know("bash@1", "jq@"), know("awk@1", "bash@1", "jq@1")
	unknown, _ := set("bash@9")
	for _, tt := range []struct {
		name, before, now string
		want              bool
	}{
		{"another version", base, newer, true}, {"gone", base, absent, true}, {"back", absent, base, true},
		{"one more in the hook", base, more, false}, {"one less in the hook", more, base, false}, {"the same", base, base, false},
		{"not known before", unknown, base, false}, {"not known now", base, unknown, false},
	} {
		if got := s.toolsExplain(suites.Key{}, tt.before, tt.now); got != tt.want {
			t.Errorf("%s explains it: %v, want %v", tt.name, got, tt.want)
		}
	}

	record := func(pass bool, note, tools string) suites.Record {
		return suites.Record{Suite: "s", ID: "A", Pass: pass, Note: note, Digests: suites.Digests{Case: "c", Inputs: "i", Tools: tools}}
	}
	pass, fail := record(true, "", base), record(false, "exit 0, want 2", base)
	failNewer, passNewer := record(false, "exit 0, want 2", newer), record(true, "", newer)
	failMore := record(false, "exit 0, want 2", more)
	for _, tt := range []struct {
		name   string
		before *suites.Record
		seen   bool
		now    suites.Record
		want   notify.Transition
	}{
		{"never seen", nil, false, fail, notify.New},
		{"seen in another definition", nil, true, fail, notify.Edited},
		{"passes still", &pass, true, pass, notify.Same},
		{"fails still", &fail, true, fail, notify.Same},
		{"fails now", &pass, true, fail, notify.Regression},
		{"passes now", &fail, true, pass, notify.Resolved},
		{"fails with another tool", &pass, true, failNewer, notify.Explained},
		{"passes with another tool", &fail, true, passNewer, notify.Explained},
		{"fails with one more tool in the hook", &pass, true, failMore, notify.Regression},
	} {
		var before *lastVerdict
		if tt.before != nil {
			before = lastVerdictOf(tt.before)
		}
		if got := s.transition(before, tt.seen, tt.now); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestRegressionOnRecord: the record of an earlier session is what the next one
// compares with, for each definition of a case.
func TestRegressionOnRecord(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/s.yaml": pair})
	step := func(hook, suite string) notify.Transition {
		s.write("hooks/guard.sh", hook)
		s.write("suites/s.yaml", suite)
		view := &spy{}
		s.all(s.open(s.load(project.Filter{}), view, nil))
		return view.find("B1").Transition
	}
	open := "#!/bin/bash\nexit 0\n"
	edited := strings.Replace(pair, "bad thing", "very bad thing", 1)
	for i, tt := range []struct {
		hook, suite string
		want        notify.Transition
	}{
		{guard, pair, notify.New}, {open, pair, notify.Regression}, {open, pair, notify.Same}, {guard, pair, notify.Resolved},
		{open, edited, notify.Edited}, {guard, edited, notify.Resolved},
	} {
		if got := step(tt.hook, tt.suite); got != tt.want {
			t.Errorf("step %d: %q, want %q", i+1, got, tt.want)
		}
	}
}

func TestChangesOf(t *testing.T) {
	t.Parallel()
	changed := func(inputs ...suites.Input) plan.Selected {
		return plan.Selected{Case: &suites.Case{}, Changed: inputs}
	}
	got := ChangesOf([]plan.Selected{
		changed(suites.Input{Path: "hooks/a b.sh", Section: "main"}, suites.Input{Path: "docs/b.md", Section: "D3: §x"}),
		changed(suites.Input{Path: "hooks/a b.sh", Section: "main"}, suites.Input{Path: "hooks/a b.sh", Section: "log level"}, suites.Input{Path: "config.json"}),
		{Case: &suites.Case{}, Because: []string{plan.NeverRun, plan.ToolsChanged, "control of P01"}},
	})
	want := []notify.Change{
		{Path: "hooks/a b.sh", Sections: []string{"main", "log level"}}, {Path: "docs/b.md", Sections: []string{"D3: §x"}}, {Path: "config.json"},
	}
	if !slices.EqualFunc(got, want, func(a, b notify.Change) bool { return a.Path == b.Path && slices.Equal(a.Sections, b.Sections) }) {
		t.Errorf("changes %+v, want %+v", got, want)
	}
}
