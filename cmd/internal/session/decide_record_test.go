package session

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hookwatch/suites"
)

func number(n int) *int { return &n }

func TestDecisions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		layer          suites.Layer
		expect         suites.Expectation
		result         suites.Result
		wanted, actual string
	}{
		{"decision", suites.Direct, suites.Expectation{Decision: "block", Exit: []int{2}, Effect: suites.Denied}, suites.Result{Decision: "approve"}, "block", "approve"},
		{"exit", suites.Direct, suites.Expectation{Exit: []int{2}, Effect: suites.Denied}, suites.Result{Exit: 0, Effect: suites.Proceeds, Decision: "x"}, "exit_2", "exit_0"},
		{"exit 0", suites.Direct, suites.Expectation{Exit: []int{0}}, suites.Result{Exit: 126}, "exit_0", "exit_126"},
		{"several", suites.Direct, suites.Expectation{Exit: []int{0, 1}}, suites.Result{Exit: 1}, "exit_0_or_1", "exit_1"},
		{"effect", suites.Direct, suites.Expectation{Effect: suites.Denied}, suites.Result{Effect: suites.Asked}, "denied", "asked"},
		{"text only", suites.Direct, suites.Expectation{Stdout: &suites.TextExpectation{Empty: true}}, suites.Result{Exit: 1}, "", "exit_1"},
		{"signal", suites.Direct, suites.Expectation{Exit: []int{0}}, suites.Result{Exit: -1, Signal: "SIGSEGV"}, "exit_0", "SIGSEGV"},
		{"time-out", suites.Direct, suites.Expectation{Decision: "block"}, suites.Result{Exit: -1, Signal: "SIGKILL", TimedOut: true, Decision: "block"}, "block", "timeout"},
		{"not started", suites.Direct, suites.Expectation{Decision: "block"}, suites.Result{Exit: -1, NotStarted: "hook missing"}, "block", "not_started"},
		{"fired", suites.Live, suites.Expectation{Effect: suites.Denied}, suites.Result{Exit: 2, Fired: true, Effect: suites.Proceeds}, "hook_fired", "hook_fired"},
		{"not fired", suites.Live, suites.Expectation{Effect: suites.Denied}, suites.Result{Effect: suites.Proceeds}, "hook_fired", "hook_not_fired"},
		{"not to be fired", suites.Live, suites.Expectation{HookFired: new(bool)}, suites.Result{}, "hook_not_fired", "hook_not_fired"},
		{"exit of a live case", suites.Live, suites.Expectation{Exit: []int{2}}, suites.Result{Exit: 2, Fired: true}, "exit_2", "exit_2"},
	} {
		if got := expectedDecision(tt.layer, tt.expect); got != tt.wanted {
			t.Errorf("%s: expected decision %q, want %q", tt.name, got, tt.wanted)
		}
		if got := actualDecision(tt.layer, tt.expect, tt.result); got != tt.actual {
			t.Errorf("%s: actual decision %q, want %q", tt.name, got, tt.actual)
		}
	}
}

// fields are those of a record in order: first the fourteen that other tools also write, then
// hookwatch's own.
var fields = strings.Fields(`hook test_name category input_summary expected_decision expected_exit actual_decision actual_exit
	actual_output actual_stderr pass note timestamp duration_ms id suite layer run_id digests client isolation status`)

// TestRecord checks the record of an outcome.
func TestRecord(t *testing.T) {
	t.Parallel()
	two := &suites.Case{
		Suite: "s", ID: "T1", Name: "two_steps", Category: "block", Summary: "pip install", Hook: ".claude/hooks/guard.sh", Layer: suites.Direct,
		Steps: []suites.Step{{Expect: suites.Expectation{Exit: []int{0}}}, {Expect: suites.Expectation{Decision: "block"}}},
	}
	chain := &suites.Case{Suite: "s", ID: "C1", Chain: true, Steps: []suites.Step{{Expect: suites.Expectation{Effect: suites.Denied}}}}
	live := &suites.Case{
		Suite: "ml", ID: "M19", Name: "live_trigger", Hook: ".claude/hooks/multi_linter.sh", Layer: suites.Live,
		Steps: []suites.Step{{Expect: suites.Expectation{Effect: suites.ShownToModel}}},
	}
	ended := time.Date(2026, 2, 20, 16, 49, 32, 999, time.FixedZone("", 3600))
	results := []suites.Result{{Exit: 0, Stdout: []byte("one")}, {Exit: 2, Decision: "block", Stdout: []byte("two"), Stderr: []byte{0xff}}}
	failing := []suites.Mismatch{{Kind: "exit", Step: 0, Field: "exit"}, {Kind: "decision", Step: 1, Field: "decision"}}
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
		{"fired by the client", live, []suites.Result{{Exit: 2, Fired: true, Effect: suites.ShownToModel}}, suites.Verdict{Status: suites.Pass},
			`multi_linter.sh live_trigger "hook_fired" "" "hook_fired" exit null "" "" true ""`},
		{"without a client", live, nil, suites.Verdict{Status: suites.Skip, Note: "absent: claude"},
			`multi_linter.sh live_trigger "hook_fired" "" "" exit null "" "" true "absent: claude"`},
		{"aborted", chain, nil, suites.Verdict{Status: suites.Aborted, Note: "ABORTED: x"}, `chain  "denied" "" "" exit null "" "" false "ABORTED: x"`},
	} {
		line, err := json.Marshal(newRecord(recordValues{
			Case: tt.c, Outcome: suites.Outcome{Results: tt.results, Duration: 1234 * time.Microsecond}, Verdict: tt.verdict,
			Digests: suites.Digests{Case: "c", Inputs: "i", Tools: "t"}, Ended: ended, Run: "20260220T164932Z-1", Isolation: "none",
		}))
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
		want := map[string]string{
			"timestamp": `"2026-02-20T15:49:32Z"`, "duration_ms": "1", "run_id": `"20260220T164932Z-1"`,
			"digests": `{"case":"c","inputs":"i","tools":"t"}`, "isolation": `"none"`,
		}
		maps.DeleteFunc(values, func(field, _ string) bool { return want[field] == "" })
		equal(t, tt.name, want, values)
	}
}

// tokens returns the fields of a JSON object with their values, in order.
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

func TestText(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("x", textLimit)
	const notUTF8 = "\n[hookwatch: not all of this is UTF-8; other bytes are shown as \\xNN]"
	for _, c := range []struct {
		name, in string
		total    int64
		want     string
	}{
		{"empty", "", 0, ""},
		{"short", "[hook] ünï\n", 0, "[hook] ünï\n"},
		{"at the limit", full, textLimit, full},
		{"one more", full + "y", 0, full + "\n[hookwatch: cut after 65536 of 65537 bytes]"},
		{"capture had cut it", "abc", 100_000_000, "abc\n[hookwatch: cut after 3 of 100000000 bytes]"},
		{"not UTF-8", "a\xffb\xc3", 0, `a\xffb\xc3` + notUTF8},
		{"no rune is split", full[1:] + "é", 0, full[1:] + "\n[hookwatch: cut after 65535 of 65537 bytes]"},
		{"the replacement character itself", "\ufffd", 0, "\ufffd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := recordText([]byte(c.in), c.total); got != c.want {
				t.Errorf("got %d bytes ending in %.90q, want %d ending in %.90q", len(got), tail(got), len(c.want), tail(c.want))
			}
		})
	}
	binary := recordText([]byte(strings.Repeat("\x80", textLimit)), 0)
	if !utf8.ValidString(binary) || len(binary) > textLimit+200 {
		t.Errorf("%d bytes of binary give %d bytes of text", textLimit, len(binary))
	}
}

func tail(s string) string { return s[max(0, len(s)-90):] }

func TestPrinted(t *testing.T) {
	t.Parallel()
	zero, two := 0, 2
	base := printedOf(&zero, "took 1.25 s at 10:20:30, in /tmp/run-1234/x", "")
	for name, tt := range map[string]struct {
		exit        *int
		out, errors string
		same        bool
	}{
		"other numbers":       {&zero, "took 9.75 s at 23:59:59, in /tmp/run-98765/x", "", true},
		"another exit":        {&two, "took 1.25 s at 10:20:30, in /tmp/run-1234/x", "", false},
		"no exit":             {nil, "took 1.25 s at 10:20:30, in /tmp/run-1234/x", "", false},
		"another word":        {&zero, "took 1.25 s at 10:20:30, in /tmp/run-1234/y", "", false},
		"on the other stream": {&zero, "", "took 1.25 s at 10:20:30, in /tmp/run-1234/x", false},
	} {
		if same := printedOf(tt.exit, tt.out, tt.errors) == base; same != tt.same {
			t.Errorf("%s: same %v", name, same)
		}
	}
	if printedOf(&zero, "in tmp.5ZVZvkajxG", "") != printedOf(&zero, "in tmp.fScPVCICCP", "") {
		t.Error("names of temporary files count")
	}
	if printedOf(&zero, "1 of 2", "") == printedOf(&zero, "2 of 2", "") {
		t.Error("short numbers count")
	}
}
